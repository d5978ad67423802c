package replay

import (
	"getio/engine/readpath"
	"getio/record"
)

// PerGet is what Gets do in one cache.
type PerGet struct {
	Accesses, Misses readpath.Means
	// PageBytes are of the pages that the misses touch.
	PageBytes float64
	// Memory holds the device reads for each division of memory of the cache.
	Memory []record.PredictedMemory
	// Error is the standard error of all misses if the Gets are a sample, or their standard deviation between
	// variants of the library. It is nil if neither applies, and below cachesim.NotableDeviation.
	Error *float64
	// CI95 is the 95% interval of all misses of such Gets; nil if they are those of a trace.
	CI95 *[2]float64
	// Sampled means that the Gets are a sample.
	Sampled bool
}

// IOs returns the reads of all components.
func (p *PerGet) IOs() (sum float64) {
	for _, c := range predictedComponents {
		sum += p.Misses[c]
	}
	return sum
}

// Components returns the figures as records hold them. TableOpen, Blob and Other are absent if no Get asked for any;
// the first two have no hit rate. A sample has no hit rates: it lacks the Gets that hit most.
func (p *PerGet) Components() map[string]record.PredictedComponent {
	all := map[string]record.PredictedComponent{}
	for _, c := range predictedComponents {
		if p.Accesses[c] == 0 && (!c.Cached() || c == readpath.Other) {
			continue
		}
		r := record.NewPredictedComponent(p.Accesses[c], p.Misses[c])
		if p.Sampled || !c.Cached() {
			r.HitRate = nil
		}
		all[c.String()] = r
	}
	return all
}

var predictedComponents = []readpath.Component{readpath.TableOpen, readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data, readpath.Blob, readpath.Other}
