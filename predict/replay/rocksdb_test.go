package replay

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/rocksdb"
	"getio/predict/cachesim"
)

// rocksTolerance is the share of accesses on which simulation and library may differ: the library
// charges a block for the memory that it got from malloc, which differs from time to time.
const rocksTolerance = 0.002

// TestSimulationFollowsRocksDB compares hit or miss of every access. The first half of the Gets
// makes up for what the library caches when it opens tables.
func TestSimulationFollowsRocksDB(t *testing.T) {
	if len(rocksdb.Engine.Presets()) == 0 {
		t.Skip("built without RocksDB")
	}
	const n = 12_000
	for name, options := range map[string][]string{
		"partitioned": nil,
		"whole":       {"index_type=binary", "partition_filters=false", "compression=none"},
		"pinned":      {"pin_top_level_index_and_filter=true", "pin_l0_filter_and_index_blocks_in_cache=true"},
	} {
		t.Run(name, func(t *testing.T) {
			store, gets := naturalDataset(t, rocksdb.Engine, options...)
			var all [][]cachesim.Block // by Get
			counted := 0
			require.NoError(t, Run{Gets: n}.each(context.Background(), store, gets, func(made int64, g Get) {
				all = append(all, slices.Clone(g.Accesses))
				if made >= n/2 {
					counted += len(g.Accesses)
				}
			}))
			for _, cacheBytes := range []int64{600 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20} {
				missed, cache := realMisses(t, store, gets, n, engine.OpenConfig{CacheBytes: cacheBytes, Shards: 1})
				simulated, err := cachesim.RocksDB{}.New(cache.Bytes, cache.Pinned, cache.Shards)
				require.NoError(t, err)
				different := 0
				for get, accesses := range all {
					n := differences(simulated, accesses, missed[get])
					if get >= len(all)/2 {
						different += n
					}
				}
				t.Logf("%d bytes, %d of them pinned: %d accesses, %d of them different", cacheBytes, cache.Pinned, counted, different)
				assert.LessOrEqual(t, float64(different), rocksTolerance*float64(counted))
			}
		})
	}
}

// hyperClockTolerance is the share by which the misses of HyperClock may be off: the slots of the
// library's entries, which decide on what is evicted first, depend on the session that wrote the tables.
const hyperClockTolerance = 0.03

// TestSimulationFollowsHyperClock compares the misses of the second half of the Gets.
func TestSimulationFollowsHyperClock(t *testing.T) {
	if len(rocksdb.Engine.Presets()) == 0 {
		t.Skip("built without RocksDB")
	}
	const n = 12_000
	store, gets := naturalDataset(t, rocksdb.Engine, "cache=hyper_clock")
	var all [][]cachesim.Block // by Get
	require.NoError(t, Run{Gets: n}.each(context.Background(), store, gets, func(_ int64, g Get) {
		all = append(all, slices.Clone(g.Accesses))
	}))
	for _, cacheBytes := range []int64{600 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20} {
		missed, cache := realMisses(t, store, gets, n, engine.OpenConfig{CacheBytes: cacheBytes, Shards: 1})
		simulated, err := cachesim.HyperClock{EntryCharge: 4 << 10}.New(cache.Bytes, cache.Pinned, cache.Shards)
		require.NoError(t, err)
		var got, want int
		for get, accesses := range all {
			for _, a := range accesses {
				if !simulated.Access(a) && get >= n/2 {
					got++
				}
			}
			if get >= n/2 {
				want += len(missed[get])
			}
		}
		t.Logf("%d bytes: %d misses, of the library %d (%+.2f%%)", cacheBytes, got, want, 100*(float64(got)/float64(want)-1))
		assert.InEpsilon(t, want, got, hyperClockTolerance, "%d bytes", cacheBytes)
	}
}

// differences is the number of a Get's accesses that hit in the simulation and were missed by the
// library, or the other way round.
func differences(simulated cachesim.Cache, accesses []cachesim.Block, missed []blockAt) (n int) {
	for _, a := range accesses {
		if simulated.Access(a) == slices.Contains(missed, blockAt{a.File, a.Offset}) {
			n++
		}
	}
	return n
}
