package replay

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/readpath"
	"getio/measure"
	"getio/measure/keysource"
	"getio/predict/cachesim"
	"getio/workload"
)

// compareCurve requires that one pass for all caches gives the misses of a measurement of each, by
// component.
func compareCurve(t *testing.T, store engine.Store, keys keysource.Sequence, library cachesim.Library) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as for realMisses
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const warmup, gets = 3000, 6000
	reserved := int64(256 << 10) // for a memtable
	if library.Policy() == cachesim.NameLRU {
		reserved = 0
	}
	var caches []Cache
	for _, bytes := range []int64{700 << 10, 2 << 20, 12 << 20} {
		caches = append(caches, Cache{Bytes: bytes, Reserved: reserved, Shards: library.Shards(bytes, 1)})
	}
	var last int64
	counts, err := (&Run{Warmup: warmup, Gets: gets, Progress: func(done int64) { last = done }}).curve(context.Background(), store, keys, []cachesim.Library{library}, caches)
	require.NoError(t, err)
	if last < warmup+gets-1024 {
		t.Errorf("progress ended at %d Gets", last)
	}
	rec, err := (&Run{Warmup: warmup, Gets: gets}).Record(context.Background(), store, keys)
	require.NoError(t, err)
	again, err := rec.Curve(context.Background(), library, caches)
	require.NoError(t, err)
	assert.Equal(t, counts, again)
	for i, c := range caches {
		r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: c.Bytes, Shards: c.Shards}, keys,
			measure.Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(warmup), Workers: 1}, Counted: measure.Counted{NoSplit: true}, TotalKeys: naturalKeys})
		require.NoError(t, err)
		for _, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
			if got, want := counts[i].Misses[component], r.Components[component.String()].Misses; got != want {
				t.Errorf("%d bytes: %d misses of %s, measured %d", c.Bytes, got, component, want)
			}
		}
		if got, want := counts[i].Accesses[readpath.Filter], *r.Components["filter"].Accesses; got != want {
			t.Errorf("%d bytes: %d accesses of filters, counted %d", c.Bytes, got, want)
		}
	}
}

// TestReopenedTables makes Gets of a tree of more tables than may be open: the reads that open them again are those
// measured, and the block cache hits and misses as it would otherwise.
func TestReopenedTables(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // as for realMisses
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, c := range []struct {
		engine  engine.Engine
		library cachesim.Library
		small   string // tables
		opening int64  // reads to open one
	}{
		{goleveldb.Engine, cachesim.LevelDB{BlockSize: 4 << 10}, "table_size=32KiB", 2},
		{pebblev1.Engine, cachesim.PebbleV1, "target_file_size=32KiB", 3},
		{pebblev2.Engine, cachesim.PebbleV2, "target_file_size=32KiB", 3},
	} {
		t.Run(c.engine.Name(), func(t *testing.T) {
			store, keys := naturalDatasetRead(t, c.engine, []string{"max_open_files=80"}, c.small)
			const warmup, gets = 3000, 3000
			cache := Cache{Bytes: 1 << 20, Shards: c.library.Shards(1<<20, 1), Reserved: 256 << 10}
			if c.library.Policy() == cachesim.NameLRU {
				cache.Reserved = 0
			}
			counts, err := (&Run{Warmup: warmup, Gets: gets}).curve(t.Context(), store, keys, []cachesim.Library{c.library}, []Cache{cache})
			require.NoError(t, err)
			r, err := measure.Measure(t.Context(), store, engine.OpenConfig{CacheBytes: cache.Bytes, Shards: cache.Shards}, keys,
				measure.Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(warmup), Workers: 1}, Counted: measure.Counted{NoSplit: true}, TotalKeys: naturalKeys})
			require.NoError(t, err)
			for _, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
				assert.Equal(t, r.Components[component.String()].Misses, counts[0].Misses[component], component)
			}
			again, opened := counts[0].Misses[readpath.TableOpen], r.Components[readpath.TableOpen.String()].Misses
			assert.Greater(t, again, int64(gets))
			fresh, visited := int64(0), map[uint64]bool{} // tables that a counted Get is the first to visit
			require.NoError(t, (&Run{Warmup: warmup, Gets: gets}).each(t.Context(), store, keys, func(made int64, g Get) {
				for _, a := range g.Accesses {
					if !visited[a.File] && made >= warmup {
						fresh++
					}
					visited[a.File] = true
				}
			}))
			assert.Equal(t, opened, again+c.opening*fresh)
		})
	}
}

func TestCachesWithoutRoom(t *testing.T) {
	for _, c := range []Cache{{Bytes: 1000, Reserved: 256 << 10, Shards: 4}, {Bytes: 1 << 20}} {
		_, err := (&Run{Gets: 1}).curve(context.Background(), nil, nil, []cachesim.Library{cachesim.PebbleV1}, []Cache{c})
		assert.Error(t, err, "%+v is accepted", c)
	}
}

// TestRunsGrowUntilTheirFiguresAreKnown: where one Get of 20,000 empties the cache, 200,000 Gets do not tell the mean. A run
// without a given number of Gets goes on, and counts what a run of as many Gets counts from the start.
func TestRunsGrowUntilTheirFiguresAreKnown(t *testing.T) {
	cache := []Cache{{Bytes: 4 << 20, Shards: 1}}
	const blocks, blockBytes = 900, 4 << 10
	curve := func(r *Run, emptying int) *Counts {
		random := rand.New(rand.NewPCG(1, 2))
		s := madeUp{reads: func() []engine.TableRead {
			if emptying > 0 && random.IntN(emptying) == 0 {
				return []engine.TableRead{{File: 2, Length: 4 << 20, Block: 4 << 20, Component: readpath.Data}}
			}
			return []engine.TableRead{{File: 1, Offset: random.Int64N(blocks) * blockBytes, Length: blockBytes, Block: blockBytes, Component: readpath.Data}}
		}}
		counts, err := r.curve(t.Context(), s, &sameKey{}, []cachesim.Library{cachesim.LevelDB{BlockSize: blockBytes}}, cache)
		require.NoError(t, err)
		return &counts[0]
	}
	steady := Run{Warmup: 50_000}
	assert.Zero(t, curve(&steady, 0).Misses.Sum())
	assert.Equal(t, int64(usualGets), steady.Gets)

	grown := Run{Warmup: 50_000}
	got := curve(&grown, 20_000)
	assert.GreaterOrEqual(t, grown.Gets, int64(4*usualGets))
	given := Run{Warmup: 50_000, Gets: grown.Gets}
	assert.Equal(t, curve(&given, 20_000), got)
	if grown.Gets < mostGets {
		assert.True(t, grown.known([]Counts{*got}, 1))
	}
	// Each time, nearly all blocks are read again.
	assert.InDelta(t, blocks/20_000., float64(got.Misses.Sum())/float64(grown.Gets), 0.2*blocks/20_000)
}
