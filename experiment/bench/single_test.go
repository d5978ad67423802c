package bench

import (
	"context"
	"testing"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/measure"
	"getio/measure/workload"
)

// missingCache is about the least that Pebble takes: it serves next to nothing.
const missingCache = 512 << 10

// BenchmarkSingle compares the CPU time per Get of runs that note how many reads each
// Get makes, or how long it takes, with that of one that notes neither, on a cache that
// holds everything and on one that holds next to nothing. Each round makes all three, in
// another order than the one before; ratios are the rounds' medians.
func BenchmarkSingle(b *testing.B) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine, goleveldb.Engine} {
		b.Run(e.Name(), func(b *testing.B) {
			_, store, gets := costDataset(b, e)
			b.Run("holds-all", func(b *testing.B) { compareSingle(b, store, gets, 256<<20) })
			b.Run("misses", func(b *testing.B) { compareSingle(b, store, gets, missingCache) })
		})
	}
}

func compareSingle(b *testing.B, store engine.Store, gets workload.Sequence, cacheBytes int64) {
	kinds := []measure.Options{{}, {Distribution: true}, {Latency: true}}
	for b.Loop() {
		var distribution, latency, plain, ios []float64
		for round := range costRounds {
			var cpu [3]float64
			for turn := range kinds {
				kind := (round + turn) % len(kinds)
				var mean float64
				cpu[kind], mean = singleRun(b, store, gets, cacheBytes, kinds[kind])
				ios = append(ios, mean)
			}
			distribution, latency = append(distribution, cpu[1]/cpu[0]), append(latency, cpu[2]/cpu[0])
			plain = append(plain, cpu[0])
		}
		b.ReportMetric(median(distribution), "distribution/plain")
		b.ReportMetric(median(latency), "latency/plain")
		b.ReportMetric(median(plain), "plain-cpu-us/get")
		b.ReportMetric(median(ios), "ios/get")
		b.ReportMetric(0, "ns/op")
	}
}

func singleRun(b *testing.B, store engine.Store, gets workload.Sequence, cacheBytes int64, opts measure.Options) (cpu, ios float64) {
	b.Helper()
	opts.Gets, opts.Warmup, opts.Workers, opts.NoSplit = costGets, measure.WarmupGets(costWarmup), costWorkers, true
	r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: cacheBytes}, gets, opts)
	check(b, err)
	if !r.Checks.Hold() {
		b.Fatalf("checks failed: %v", r.Checks.Failed())
	}
	return r.CPUusPerGet, r.IOsPerGet.Mean
}
