package level0

import (
	"context"
	"math"
	"slices"
	"testing"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/ethereum/chainload"
	"getio/measure/workload"
)

// TestSimulationMatchesLibrary checks that each library reads exactly the blocks that its
// simulated cache misses, for the same sequence of Gets. No block of this chain needs one of
// LevelDB's large buffers.
func TestSimulationMatchesLibrary(t *testing.T) {
	for e, sizes := range map[engine.Engine][]int64{
		pebblev1.Engine:  {600 << 10, 1 << 20},
		pebblev2.Engine:  {600 << 10, 1 << 20},
		goleveldb.Engine: {50 << 10, 100 << 10, 200 << 10},
	} {
		t.Run(e.Name(), func(t *testing.T) {
			eachCache(t, runOn(t, e, small), sizes, func(asked, read, simulated []tracedBlock) {
				if !slices.Equal(read, simulated) {
					t.Errorf("of %d blocks the library reads %d, the simulation %d, and not the same", len(asked), len(read), len(simulated))
				}
			})
		})
	}
}

// TestSimulationOfLargeBuffers checks LevelDB with indexes and filters in large pooled
// buffers: the simulation misses as many blocks as the library reads. The library's pool
// also loses some buffers.
func TestSimulationOfLargeBuffers(t *testing.T) {
	eachCache(t, runOn(t, goleveldb.Engine, usual), []int64{100 << 10, 120 << 10, 160 << 10}, func(asked, read, simulated []tracedBlock) {
		if off := float64(len(simulated))/float64(len(read)) - 1; math.Abs(off) > 0.03 || len(read) > len(asked)*95/100 {
			t.Errorf("of %d blocks the library reads %d, the simulation %d (%+.1f%%)", len(asked), len(read), len(simulated), 100*off)
		}
	})
}

// eachCache makes the same Gets with each cache, with and without filters. It passes on the
// blocks accessed, those that the library read, and those that the simulation missed.
func eachCache(t *testing.T, r *Run, sizes []int64, each func(asked, read, simulated []tracedBlock)) {
	t.Helper()
	const tables, gets = 12, 250
	s, err := r.Grow(context.Background(), tables)
	check(t, err)
	defer s.Close()
	r.cfg, err = r.Engine.Configure(chainload.Preset(r.Engine.Name()), nil)
	check(t, err)
	check(t, r.with(context.Background(), s, tables, func(store engine.Store) error {
		drawn, err := r.gets(context.Background(), store, gets)
		check(t, err)
		defer drawn.Close()
		for _, filters := range []bool{true, false} {
			asked := blocksRead(t, store, engine.OpenConfig{NoFilters: !filters}, drawn, gets)
			for _, bytes := range sizes {
				open := engine.OpenConfig{CacheBytes: bytes, NoFilters: !filters}
				db, err := store.Open(open)
				check(t, err)
				sim := simulation{cache: caches[r.Engine.Name()](db.Cache())}
				check(t, db.Close())
				var simulated []tracedBlock
				for _, b := range asked {
					if !sim.ask(b, b.file) {
						simulated = append(simulated, b)
					}
				}
				each(asked, blocksRead(t, store, open, drawn, gets), simulated)
			}
		}
		return nil
	}))
}

// blocksRead returns the blocks that Gets read.
func blocksRead(t *testing.T, store engine.Store, open engine.OpenConfig, drawn workload.Sequence, gets int) (read []tracedBlock) {
	open.Trace = func(b engine.TableRead) {
		if b.Block > 0 {
			read = append(read, tracedBlock{file: b.File, offset: uint32(b.Offset), stored: uint32(b.Length), size: uint32(b.Block)})
		}
	}
	check(t, trace(context.Background(), store, open, drawn, gets, func(_, _ []byte) {}))
	return read
}
