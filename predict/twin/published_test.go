package twin

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/load/growth"
	"getio/numbers/published"
	"getio/predict/cachesim"
	"getio/workload"
)

// publishedLayout is the layout of the study's tables. The study printed the number of their data
// blocks in full, but bytes with two or three digits, so bytes are computed from the layout.
var publishedLayout = lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}

// publishedShape returns a published tree. Its levels are the printed ones; package growth places
// the tables in them.
func publishedShape(t testing.TB, name string) *lsm.Shape {
	t.Helper()
	shape, err := growth.Published(name, 1)
	require.NoError(t, err)
	return publishedLayout.EstimateShape(shape)
}

// publishedEnv names the published databases whose runs TestPublishedReads simulates, the smallest
// by default: 12 runs of 10 million Gets take minutes.
const publishedEnv = "GETIO_PUBLISHED"

// TestPublishedReads compares the twin with the study's figures, which have three digits. Where
// the tables of its trees lie is not known. It matters most to runs whose cache barely holds
// filters and top indexes.
func TestPublishedReads(t *testing.T) {
	names := "small"
	if list := os.Getenv(publishedEnv); list != "" {
		names = list
	}
	for name := range strings.SplitSeq(names, ",") {
		t.Run(name, func(t *testing.T) {
			shape := publishedShape(t, name)
			tree := newTree(t, shape, Options{Library: PebbleV1, BlockBytes: publishedLayout.DataBlockBytes})
			rows, err := published.Reads(name)
			require.NoError(t, err)
			var caches []Cache
			for _, r := range rows {
				caches = append(caches, tree.Sample(Cache{cachesim.NameClockPro, r.CacheMiB<<20 - memtable, r.Shards, r.Shards}, max(r.Shards/16, 2)))
			}
			s, err := NewSimulation(tree, workload.Keys{Seed: 1}, caches)
			require.NoError(t, err)
			warmup := int64(tree.Records()) / rows[0].KeysPerWarmupGet
			_, err = s.Run(context.Background(), warmup)
			require.NoError(t, err)
			// Caches fill during the first Gets, all of which are simulated. As many of the others stand for all of these.
			first := min(10*warmup, rows[0].Gets)
			filling, err := s.Run(context.Background(), first)
			require.NoError(t, err)
			filled, err := s.Run(context.Background(), min(first, rows[0].Gets-first))
			require.NoError(t, err)
			for i, r := range rows {
				all := func(count func(*Counts) float64) float64 {
					sum := count(&filling[i])
					if filled[i].Gets > 0 {
						sum += count(&filled[i]) * float64(rows[0].Gets-first) / float64(filled[i].Gets)
					}
					return sum
				}
				rate := func(component readpath.Component) float64 {
					misses := all(func(c *Counts) float64 { return c.Misses[component] })
					return 1 - misses/all(func(c *Counts) float64 { return float64(c.Accesses[component]) })
				}
				got := all(func(c *Counts) float64 { return c.Misses.Sum() }) / float64(rows[0].Gets)
				want, err := r.IOsPerGet.Float64()
				require.NoError(t, err)
				t.Logf("%5d MiB: %.4f ± %.4f, published %s (%+.1f%%); hit rates filter %.3f (%s) top %.3f (%s) index %.3f (%s) data %.3f (%s)",
					r.CacheMiB, got, filling[i].MissError/float64(first), r.IOsPerGet, 100*(got/want-1),
					rate(readpath.Filter), r.HitRates["filter"], rate(readpath.TopIndex), r.HitRates["top_index"],
					rate(readpath.Index), r.HitRates["index"], rate(readpath.Data), r.HitRates["data"])
				within := 0.01
				if r.Config == "filter+top_index" {
					within = 0.06
				}
				if off := got/want - 1; math.Abs(off) > within {
					t.Errorf("%d MiB: %+.1f%% off", r.CacheMiB, 100*off)
				}
			}
		})
	}
}

// memtable is the bytes of the cache that a read-only open reserves for its memtable.
const memtable = 256 << 10
