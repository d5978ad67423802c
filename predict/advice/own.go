package advice

import (
	"context"
	"errors"
	"slices"

	"getio/engine/readpath"
	"getio/measure/database"
	"getio/predict/memory"
	"getio/predict/replay"
	"getio/predict/twin"
	"getio/record"
	"getio/workload"
)

// Own is a workload whose Gets are made on the database: a trace, a list of keys, or keys of any popularity.
type Own struct {
	Keys workload.Keys
	Run  replay.Run
	// Same makes runs repeat the Gets of the computation: those of a trace, or a given number. Otherwise, they measure as
	// 'getio measure' does.
	Same bool
	// Live is the I/Os per Get that a running client made with the present cache while the Gets behind
	// the warm-up were recorded; nil if they were not.
	Live *float64
}

// AdviseOwn answers a question for Gets of a workload: it makes them once on the database and simulates caches of all sizes
// with their accesses.
func AdviseOwn(ctx context.Context, q Question, d *database.Database, own *Own) (*record.Advice, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if own.Run.Trace != nil && own.Run.Gets < 1 {
		return nil, errors.New("no Gets to advise on: make at least 2 with --gets")
	}
	library, err := replay.LibraryOf(d)
	if err != nil {
		return nil, err
	}
	read, err := twin.LibraryOf(q.Library, d.Config.Effective())
	if err != nil {
		return nil, err
	}
	var caches []replay.Cache
	for _, bytes := range q.scale() {
		c := replay.Cache{Bytes: bytes, Reserved: q.Reserved, Shards: q.Shards(bytes)}
		// A sampled trace lacks the Gets of neighbouring keys, whose blocks share pages.
		if divided := q.divide(&read, bytes); !own.sampled() && memory.Turnover(q.Shape.Total().Bytes, divided) <= own.Run.Warmup {
			c.Memory = divided
		}
		caches = append(caches, c)
	}
	figures, found, err := own.Run.PerGet(ctx, d, own.Keys, library, caches)
	if err != nil {
		return nil, err
	}
	var all []*record.AdvisedCache
	for i, c := range caches {
		advised := &record.AdvisedCache{
			Cache:     record.PredictedCache{Bytes: c.Bytes, ReservedBytes: c.Reserved, Policy: library.Policy(), Shards: c.Shards, SampledShards: c.Shards},
			IOsPerGet: record.AdvisedIOs{Predicted: figures[i].IOs(), SamplingError: figures[i].Error}, Components: figures[i].Components(),
			PageBytesPerGet: &figures[i].PageBytes,
		}
		if len(figures[i].Memory) > 0 {
			advised.Memory = &figures[i].Memory[0]
		}
		all = append(all, advised)
	}
	a := q.advice(all, own.Run.Workload(own.Keys, found))
	if q.Tree != nil {
		return a, q.changesAndWaste(twin.NewSteady(q.Tree, 0), a)
	}
	a.Waste = q.plainWaste()
	if reads := q.focusOf(a.Caches).Components[readpath.TableOpen.String()].Misses; reads > 0 {
		// Libraries keep a few files less open than the limit allows.
		beyond := max(0, q.Shape.Total().Tables-twin.OpenFiles(d.Config.Effective()))
		a.Waste = append(a.Waste, &record.Waste{What: record.WasteHandles, Amount: beyond, IOsPerGet: &reads})
	}
	return a, nil
}

func (o *Own) sampled() bool { return o.Run.Trace != nil && o.Run.Trace.Sampled() > 1 }

// scale returns the cache sizes to simulate, in ascending order: evenly spaced on a logarithmic scale
// up to the largest that can be had, with those that were asked for.
func (q *Question) scale() (sizes []int64) {
	const step = 1.19 // four sizes for each doubling
	least, most := max(q.least(), q.Reserved+1<<20), q.most()
	for bytes := float64(least); bytes < float64(most)*step; bytes *= step {
		sizes = append(sizes, q.Client.Settable(roundUp(bytes)))
	}
	for _, a := range q.asked() {
		sizes = append(sizes, a.bytes)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}
