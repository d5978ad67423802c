package overhead

import (
	"testing"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/measure"
)

// leastCache is about the smallest cache that Pebble accepts: it serves next to nothing.
const leastCache = 512 << 10

// BenchmarkSingle compares the CPU time per Get of runs that count the reads or take the time of
// each Get with that of a run that does neither.
func BenchmarkSingle(b *testing.B) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine, goleveldb.Engine} {
		b.Run(e.Name(), func(b *testing.B) {
			_, store, gets := costDataset(b, e)
			onCaches(b, leastCache, func(b *testing.B, cacheBytes int64) {
				var ios []float64
				run := func(o measure.Options) func() float64 {
					return func() float64 {
						o.NoSplit = true
						r := measuredRun(b, store, gets, cacheBytes, o)
						ios = append(ios, r.IOsPerGet.Mean)
						return r.CPUusPerGet
					}
				}
				compare(b, kind{"plain", run(measure.Options{})},
					kind{"distribution", run(measure.Options{Counted: measure.Counted{Distribution: true}})},
					kind{"latency", run(measure.Options{Counted: measure.Counted{Latency: true}})})
				b.ReportMetric(median(ios), "ios/get")
			})
		})
	}
}
