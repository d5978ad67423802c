package replay

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/engine/rocksdb"
	"getio/internal/truth/truthtest"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/predict/cachesim"
	"getio/workload"
)

// TestSimulatedCacheEqualsRocksDB replays accesses that were made without a cache, and requires the same hits and
// misses as in RocksDB's own cache. RocksDB runs in a program in which it always charges a block the same amount.
func TestSimulatedCacheEqualsRocksDB(t *testing.T) {
	if len(rocksdb.Engine.Presets()) == 0 {
		t.Skip("built without RocksDB")
	}
	for name, layout := range rocksLayouts {
		t.Run(name, func(t *testing.T) {
			store, gets := naturalDatasetRead(t, rocksdb.Engine, layout.read, layout.written...)
			compareRocksAccesses(t, store, gets, layout.pins)
		})
	}
}

// compareRocksAccesses requires that RocksDB and simulation agree on hit or miss of every access. pins says whether
// tables pin blocks in the cache.
func compareRocksAccesses(t *testing.T, store engine.Store, gets keysource.Sequence, pins bool) {
	t.Helper()
	n := exactGets(t)
	stream := slices.Concat(accessesByGet(t, store, gets, n)...)
	keys := make([][]byte, n)
	require.NoError(t, gets.Prepare(context.Background(), 0, n))
	for g := range n {
		keys[g], _ = gets.Key(g, nil)
	}
	for _, cacheBytes := range []int64{600 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20} {
		truth, pinned := truthtest.Accesses(t, store.Info().Dir, keys, cacheBytes, pins)
		require.Equal(t, len(truth), len(stream))
		simulated, err := cachesim.RocksDB{}.New(cacheBytes, pinned, 1)
		require.NoError(t, err)
		hits := 0
		for i, a := range stream {
			hit := simulated.Access(a)
			if hit {
				hits++
			}
			require.Equal(t, truth[i], truthtest.Access{File: a.File, Kind: strings.TrimPrefix(a.Component.String(), "top_"), Hit: hit},
				"%d bytes: access %d of %d, to %s at %d of its file", cacheBytes, i, len(stream), a.Component, a.Offset)
		}
		t.Logf("%d bytes, %d of them pinned: %d accesses, %d hits, 0 different", cacheBytes, pinned, len(stream), hits)
	}
}

// rocksLayouts are options of tables that Gets read differently.
var rocksLayouts = map[string]struct {
	written, read []string
	pins          bool // tables pin blocks in the cache
}{
	"partitioned": {},
	"whole":       {written: whole},
	"pinned":      {read: pinned, pins: true},
}

// whole are options of tables with one index block and one filter. pinned are options for reading.
var (
	whole  = []string{"index_type=binary", "partition_filters=false", "compression=none"}
	pinned = []string{"pin_top_level_index_and_filter=true", "pin_l0_filter_and_index_blocks_in_cache=true"}
)

// accessesByGet returns the accesses of Gets, made without a cache.
func accessesByGet(t *testing.T, store engine.Store, gets keysource.Sequence, n int64) (all [][]cachesim.Block) {
	t.Helper()
	require.NoError(t, (&Run{Gets: n}).each(context.Background(), store, gets, func(_ int64, g Get) {
		all = append(all, slices.Clone(g.Accesses))
	}))
	return all
}

// rocksTolerance is the share of accesses on which simulation and library may differ: the library
// charges a block for the memory that it got from malloc, which differs from time to time.
const rocksTolerance = 0.002

// TestSimulationFollowsRocksDB compares hit or miss of every access with those in the engine. The first half
// of the Gets makes up for what the library caches when it opens tables.
func TestSimulationFollowsRocksDB(t *testing.T) {
	if len(rocksdb.Engine.Presets()) == 0 {
		t.Skip("built without RocksDB")
	}
	const n = 12_000
	for name, layout := range rocksLayouts {
		t.Run(name, func(t *testing.T) {
			store, gets := naturalDatasetRead(t, rocksdb.Engine, append([]string{"max_open_files=-1"}, layout.read...), layout.written...) // all are open
			all := accessesByGet(t, store, gets, n)
			allDifferent, allCounted := 0, 0
			for _, open := range []engine.OpenConfig{
				{CacheBytes: 600 << 10, Shards: 1}, {CacheBytes: 2 << 20, Shards: 1}, {CacheBytes: 1 << 20, Shards: 4}, {CacheBytes: 4 << 20, Shards: 8},
			} {
				missed, cache := realMisses(t, store, gets, n, open)
				simulated, err := cachesim.RocksDB{}.New(cache.Bytes, cache.Pinned, cache.Shards)
				require.NoError(t, err)
				different, counted := 0, 0
				for get, accesses := range all {
					n := differences(simulated, accesses, missed[get])
					if get >= len(all)/2 {
						different += n
						counted += len(accesses)
					}
				}
				t.Logf("%d bytes, %d of them pinned, in %d shards: %d accesses, %d of them different", cache.Bytes, cache.Pinned, cache.Shards, counted, different)
				// Which blocks share a shard depends on cache keys, which differ with each database.
				within := 0.001
				if open.Shards > 1 {
					within = rocksTolerance
				}
				assert.LessOrEqual(t, float64(different), within*float64(counted))
				allDifferent, allCounted = allDifferent+different, allCounted+counted
			}
			assert.LessOrEqual(t, float64(allDifferent), 0.001*float64(allCounted))
		})
	}
}

// repeating makes the first n Gets again and again.
type repeating struct {
	keysource.Sequence
	n int64
}

func (r repeating) Key(g int64, buf []byte) ([]byte, keysource.Want) {
	return r.Sequence.Key(g%r.n, buf)
}

func (r repeating) Check(g int64, want keysource.Want, key []byte, found bool, value []byte) error {
	return r.Sequence.Check(g%r.n, want, key, found, value)
}

// TestRocksDBReopensTables makes Gets of a tree of more tables than may be open. The warm-up makes the same Gets and
// so opens each table that they need: the simulation does not count what opens a table first. Opening a table looks
// up its top index and its filter in the block cache, unless they lie outside.
func TestRocksDBReopensTables(t *testing.T) {
	if len(rocksdb.Engine.Presets()) == 0 {
		t.Skip("built without RocksDB")
	}
	for name, c := range map[string]struct {
		written, read []string
		cache         int64
	}{
		"partitioned": {nil, nil, 4 << 20},
		"pinned":      {nil, pinned, 4 << 20},
		"whole":       {whole, nil, 4 << 20},
		"small":       {whole, nil, 300 << 10},
		"outside":     {whole, []string{"cache_index_and_filter_blocks=false"}, 4 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			store, keys := naturalDatasetRead(t, rocksdb.Engine, append([]string{"max_open_files=20"}, c.read...), c.written...)
			const gets = 6000
			keys = repeating{keys, gets}
			_, opened := realMisses(t, store, keys, 1000, engine.OpenConfig{CacheBytes: c.cache, Shards: 1})
			cache := Cache{Bytes: opened.Bytes, Reserved: opened.Pinned, Shards: opened.Shards}
			counts, err := (&Run{Warmup: gets, Gets: gets}).curve(t.Context(), store, keys, []cachesim.Library{cachesim.RocksDB{}}, []Cache{cache})
			require.NoError(t, err)
			r, err := measure.Measure(t.Context(), store, engine.OpenConfig{CacheBytes: cache.Bytes, Shards: cache.Shards}, keys,
				measure.Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(gets), Workers: 1}, Counted: measure.Counted{NoSplit: true}, TotalKeys: naturalKeys})
			require.NoError(t, err)
			var got, want int64
			for of, misses := range counts[0].Misses {
				got += misses
				want += r.Components[readpath.Component(of).String()].Misses
			}
			assert.Greater(t, counts[0].Misses[readpath.TableOpen], int64(gets/10))
			assert.InEpsilon(t, want, got, rocksTolerance)
		})
	}
}

// hyperClockTolerance is the share by which the misses of HyperClock may be off: the slots of the
// library's entries, which decide on what is evicted first, depend on the session that wrote the tables.
const hyperClockTolerance = 0.03

// TestSimulationFollowsHyperClock compares the misses of the second half of the Gets. The largest cache holds two
// thirds of the database. Larger ones have too few misses to compare: they vary by up to 5% from run to run.
func TestSimulationFollowsHyperClock(t *testing.T) {
	if len(rocksdb.Engine.Presets()) == 0 {
		t.Skip("built without RocksDB")
	}
	const n = 12_000
	store, gets := naturalDatasetRead(t, rocksdb.Engine, []string{"cache=hyper_clock"})
	all := accessesByGet(t, store, gets, n)
	for _, cacheBytes := range []int64{600 << 10, 1 << 20, 2 << 20, 4 << 20, 6 << 20} {
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

// TestBlobReadsArePredicted: with any cache, Gets read as many values from blob files as they do when they are
// measured, and as many blocks within the tolerance of the simulation.
func TestBlobReadsArePredicted(t *testing.T) {
	if rocksdb.Missing {
		t.Skip("built without RocksDB")
	}
	dir := filepath.Join(t.TempDir(), "db")
	const scaled = "write_buffer_size=1000000;target_file_size_base=400000;max_bytes_for_level_base=1600000;"
	truthtest.Ask(t, truthtest.Family("\x01", scaled+truthtest.Besu), "client", dir, "40000")
	for _, options := range [][]string{nil, {"cache=hyper_clock"}} {
		d, err := database.Open(t.Context(), engine.Registry{rocksdb.Engine}, dir, database.OpenOptions{
			Options: append(options, "column_family=0x01", "cache_index_and_filter_blocks=true"),
		})
		require.NoError(t, err)
		defer func() { require.NoError(t, d.Close()) }()
		library, err := LibraryOf(d)
		require.NoError(t, err)
		sizes := []int64{400 << 10, 1 << 20, 16 << 20}
		caches, err := Caches(d, library, sizes, 1, nil)
		require.NoError(t, err)
		keys := workload.Keys{Seed: 1, Absent: 0.1}
		run := Run{Warmup: 3_000, Gets: 4_000}
		predictions, err := run.Predict(t.Context(), d, keys, library, caches)
		require.NoError(t, err)
		for _, p := range predictions {
			sweep := run.Measured(d, keys)
			r, err := sweep.One(t.Context(), engine.OpenConfig{CacheBytes: p.Cache.Bytes, Shards: p.Cache.Shards})
			require.NoError(t, err)
			require.NoError(t, r.Checks.Err())
			blobs, accesses := p.Components["blob"], 0.0
			for _, c := range p.Components {
				accesses += c.Accesses
			}
			t.Logf("%v, %d bytes: %.4f predicted, %.4f measured, %.4f of them blobs", options, p.Cache.Bytes, *p.IOsPerGet.Window, r.IOsPerGet.Mean, blobs.Misses)
			assert.EqualValues(t, r.Components["blob"].Misses, math.Round(blobs.Misses*float64(run.Gets)))
			assert.InDelta(t, 0.45, blobs.Misses, 0.02, "half of the values lie in blob files, and a tenth of the keys are absent")
			assert.Nil(t, blobs.HitRate)
			within := rocksTolerance * accesses
			if options != nil {
				within = hyperClockTolerance * (r.IOsPerGet.Mean - blobs.Misses)
			}
			assert.InDelta(t, r.IOsPerGet.Mean, *p.IOsPerGet.Window, within, "%v, %d bytes", options, p.Cache.Bytes)
		}
	}
}
