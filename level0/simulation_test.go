package level0

import (
	"context"
	"testing"

	"getio/chainload"
	"getio/engine"
	"getio/engine/goleveldb"
	"getio/engine/pebblev1"
	"getio/engine/pebblev2"
)

// TestSimulatedCachesAreTheLibraries: of the same Gets, one after another, each library
// reads the blocks that a simulation of its cache has to read. The chain is so small that
// no block is larger than LevelDB's buffers are, whose sizes are then known.
func TestSimulatedCachesAreTheLibraries(t *testing.T) {
	const tables, gets = 12, 400
	for e, caches := range map[engine.Engine][]int64{
		pebblev1.Engine:  {600 << 10, 1 << 20},
		pebblev2.Engine:  {600 << 10, 1 << 20},
		goleveldb.Engine: {50 << 10, 100 << 10, 200 << 10},
	} {
		t.Run(e.Name(), func(t *testing.T) {
			r := runOn(t, e, small)
			s, err := r.Grow(context.Background(), tables)
			check(t, err)
			defer s.Close()
			r.cfg, err = e.Configure(chainload.Preset(e.Name()), nil)
			check(t, err)
			check(t, r.with(context.Background(), s, tables, func(store engine.Store) error {
				for _, filters := range []bool{true, false} {
					asked := blocksRead(t, r, store, engine.OpenConfig{NoFilters: !filters}, gets)
					for _, bytes := range caches {
						open := engine.OpenConfig{CacheBytes: bytes, NoFilters: !filters}
						read := blocksRead(t, r, store, open, gets)
						db, err := store.Open(open)
						check(t, err)
						sim := newSimulation(libraries[e.Name()], db.Cache())
						check(t, db.Close())
						missed := 0
						for i, b := range asked {
							if sim.ask(b, b.file) {
								continue
							}
							if missed == len(read) || read[missed] != b {
								t.Fatalf("%d bytes, filters %v: block %d of %d asked for, %+v, is read in the simulation only, or one before it by the library only", bytes, filters, i, len(asked), b)
							}
							missed++
						}
						if missed != len(read) || missed == len(asked) {
							t.Errorf("%d bytes, filters %v: of %d blocks %d are read, in the simulation %d", bytes, filters, len(asked), len(read), missed)
						}
					}
				}
				return nil
			}))
		})
	}
}

// blocksRead are the blocks that Gets read.
func blocksRead(t *testing.T, r *Run, store engine.Store, open engine.OpenConfig, gets int) (read []tracedBlock) {
	open.Trace = func(b engine.TableRead) {
		if b.Block > 0 {
			read = append(read, tracedBlock{file: b.File, offset: uint64(b.Offset), size: uint32(store.CachedSize(int64(b.Block)))})
		}
	}
	check(t, r.trace(context.Background(), store, open, gets, func(_, _ []byte) {}))
	return read
}
