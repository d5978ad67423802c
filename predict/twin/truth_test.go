package twin_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/rocksdb"
	"getio/internal/truth"
	trueleveldb "getio/internal/truth/goleveldb"
	truev1 "getio/internal/truth/pebblev1"
	truev2 "getio/internal/truth/pebblev2"
	truerocksdb "getio/internal/truth/rocksdb"
	"getio/predict/scenario"
	"getio/predict/twin"
	"getio/workload"
)

// TestTwinFollowsHistories compares predictions from the shapes of trees whose keys were overwritten, deleted and merged
// with what the library alone reads: all accesses of Gets, with a cache that holds next to nothing, and the reads with
// one of twice IP2.
func TestTwinFollowsHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes several trees")
	}
	const keys, gets = 20_000, 20_000
	for _, tree := range truth.Trees(keys) {
		for _, c := range []struct {
			engine  engine.Engine
			library truth.Library
			trees   []string
			least   int64 // bytes of a cache that holds next to nothing
		}{
			{pebblev2.Engine, truev2.Library, []string{"overwritten", "deleted", "range-deletions", "merges", "snapshots", "level-0"}, 4},
			{pebblev1.Engine, truev1.Library, []string{"range-deletions", "merges"}, 4},
			{goleveldb.Engine, trueleveldb.Library, []string{"overwritten", "deleted", "snapshots", "compacting", "level-0"}, 1},
			{rocksdb.Engine, truerocksdb.Library, []string{"range-deletions"}, 1},
		} {
			for _, name := range c.trees {
				if name != tree.Name {
					continue
				}
				t.Run(name+"/"+c.library.Name, func(t *testing.T) {
					if c.engine == rocksdb.Engine && rocksdb.Missing {
						t.Skip("built without RocksDB")
					}
					t.Parallel()
					dir := filepath.Join(t.TempDir(), "db")
					require.NoError(t, c.library.Write(dir, tree))
					d := open(t, c.engine, dir)
					shape, err := d.ShapeToPredict(t.Context(), nil)
					require.NoError(t, err)
					options := d.Config.Effective()
					library, err := twin.LibraryOf(c.engine.Name(), options)
					require.NoError(t, err)
					layout, known := scenario.TableFormat(c.engine.Name(), options).WithSizesOf(shape)
					require.True(t, known)
					simulated, err := twin.NewTree(shape, twin.Options{Library: library, BlockBytes: layout.DataBlockBytes})
					require.NoError(t, err)

					reserved := library.Reserved + simulated.Pinned()
					// Where open tables hold most of the cache, the simulated priorities are not RocksDB's.
					bytes := reserved + max(2*shape.IP2Bytes, 4*simulated.Pinned())
					shards := library.Cache.Shards(bytes, 1)
					read := func(bytes int64) float64 {
						r, err := c.library.Open(dir, truth.Cache{Bytes: bytes, Reserved: library.Reserved, Shards: shards})
						require.NoError(t, err)
						_, err = r.Gets(2*keys, 1, 1)
						require.NoError(t, err)
						reads, err := r.Gets(gets, 1, 2)
						require.NoError(t, err)
						require.NoError(t, r.Close())
						return float64(reads.Count) / gets
					}
					accesses := 0.0
					for _, n := range twin.NewSteady(simulated, 0).Accesses() {
						accesses += n
					}
					want := read(reserved + c.least)
					t.Logf("%.4f accesses per Get, true are %.4f", accesses, want)
					assert.InEpsilon(t, want, accesses, 0.02)

					predicted, err := twin.Plan{Warmup: 2 * keys, Gets: gets}.Predict(t.Context(), simulated, workload.Keys{Seed: 1},
						[]twin.Cache{{Policy: library.Cache.Policy(), Bytes: bytes - reserved, Shards: shards, Sampled: shards}}, nil)
					require.NoError(t, err)
					got := predicted[0].Window.IOsPerGet()
					want = read(bytes)
					t.Logf("%d bytes: %.4f reads per Get, true are %.4f", bytes, got, want)
					assert.InEpsilon(t, want, got, 0.03)
				})
			}
		}
	}
}
