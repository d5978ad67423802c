package overhead

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/load/growth"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/predict/twin"
	"getio/workload"
)

// largeTree is the study's tree of 20 billion keys.
func largeTree(b *testing.B) *twin.Tree {
	b.Helper()
	shape, err := growth.Published("large", 1)
	require.NoError(b, err)
	layout := lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}
	shape = layout.EstimateShape(shape)
	tree, err := twin.NewTree(shape, twin.Options{Library: twin.PebbleV1, BlockBytes: layout.DataBlockBytes})
	require.NoError(b, err)
	return tree
}

// tenCaches returns caches from IP1 to above IP2 of the large tree. The given number of their 128
// shards are simulated where a sample is accurate enough.
func tenCaches(tree *twin.Tree, sampled int) (caches []twin.Cache) {
	for _, gib := range []float64{3, 4, 4.4, 5, 6, 8, 12, 16, 20.5, 22} {
		c := twin.Cache{Policy: cachesim.NameClockPro, Bytes: int64(gib * (1 << 30)), Shards: 128}
		caches = append(caches, tree.Sample(c, sampled))
	}
	return caches
}

// BenchmarkPredict measures the CPU time of ten cache sizes for 20 billion keys with a sixteenth
// of the shards, the error of that sample with fewer Gets, and the time of the analytic curve.
func BenchmarkPredict(b *testing.B) {
	tree := largeTree(b)
	simulate := func(b *testing.B, gets int64, sampled int) []twin.Counts {
		s, err := twin.NewSimulation(tree, workload.Keys{Seed: 1}, tenCaches(tree, sampled))
		require.NoError(b, err)
		counts, err := s.Run(context.Background(), gets)
		require.NoError(b, err)
		return counts
	}
	b.Run("sampled", func(b *testing.B) {
		for b.Loop() {
			before := cpu()
			simulate(b, 20_000_000, 8)
			b.ReportMetric((cpu() - before).Seconds(), "cpu-s/20M-gets")
			b.ReportMetric(0, "ns/op")
		}
	})
	b.Run("error", func(b *testing.B) {
		const gets = 2_000_000
		for b.Loop() {
			part, all, worst := simulate(b, gets, 8), simulate(b, gets, 128), 0.0
			for i := range all {
				worst = max(worst, math.Abs(part[i].IOsPerGet()/all[i].IOsPerGet()-1))
			}
			b.ReportMetric(100*worst, "worst-%")
			b.ReportMetric(0, "ns/op")
		}
	})
	b.Run("analytic", func(b *testing.B) {
		for b.Loop() {
			steady := twin.NewSteady(tree, 0)
			for _, c := range tenCaches(tree, 8) {
				steady.IOsPerGet(c.Bytes)
			}
		}
	})
}

// BenchmarkCaches measures the accesses per second of CPU time of simulated caches, for a stream
// in which a tenth of the blocks gets nine tenths of the accesses.
func BenchmarkCaches(b *testing.B) {
	const blocks, accesses, size = 1 << 20, 1 << 23, 4096
	random := wyrand.New(1)
	stream := make([]uint64, accesses)
	for i := range stream {
		if stream[i] = random.Below(blocks); random.Below(10) > 0 {
			stream[i] /= 10
		}
	}
	for _, name := range cachesim.Names() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cache, err := cachesim.New(name, blocks/5*size)
				require.NoError(b, err)
				hits, before := 0, cpu()
				for _, block := range stream {
					if cache.Access(block, size) {
						hits++
					}
				}
				b.ReportMetric(accesses/(cpu()-before).Seconds()/1e6, "M-accesses/cpu-s")
				b.ReportMetric(100*float64(hits)/accesses, "hit-%")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}
