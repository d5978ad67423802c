package level0

import (
	"context"
	"sort"

	"getio/engine"
	"getio/ethereum/chaindata"
	"getio/tree/readpath"
)

// predictor is Gets of any keys as they were made with no cache at a number of tables,
// and the blocks that each asked for. These do not depend on the cache. At fewer tables
// a Get asks for the same without those of tables that are not there, and is not made if
// its key is in one of them. More tables are taken to be asked as those that were there,
// over and over.
type predictor struct {
	run    *Run
	stack  *Stack
	tables int
	gets   []tracedGet
	// beyond is larger than the number of any file.
	beyond uint64
}

// tracedGet is what a Get asked for: of tables of L0, then of others.
type tracedGet struct {
	from      int // the number of tables from which on its key is there
	l0, below []tracedBlock
}

type tracedBlock struct {
	file         uint64
	offset       uint32
	stored, size uint32 // in the file, with its trailer, and decompressed; in bytes
	index        bool   // of a table of L0
}

// tracedGets are enough for places that differ by a few per cent from seed to seed, also
// where most keys are of tables that are not there.
const tracedGets = 5000

// newPredictor traces Gets at a number of tables, with filters or as if there were none.
func (r *Run) newPredictor(ctx context.Context, s *Stack, tables int, filters bool) (*predictor, error) {
	f := &predictor{run: r, stack: s, tables: tables}
	err := r.with(ctx, s, tables, func(store engine.Store) error {
		l0 := filesOf(level0Of(store.Shape()))
		var now tracedGet
		open := engine.OpenConfig{NoFilters: !filters, Trace: func(read engine.TableRead) {
			if read.Block == 0 {
				return // of opening a table, past the block cache
			}
			f.beyond = max(f.beyond, read.File+1)
			block := tracedBlock{file: read.File, offset: uint32(read.Offset), stored: uint32(read.Length), size: uint32(read.Block)}
			if l0[read.File] {
				block.index = read.Component == readpath.TopIndex
				now.l0 = append(now.l0, block)
			} else {
				now.below = append(now.below, block)
			}
		}}
		gets, err := r.gets(ctx, store, tracedGets)
		if err != nil {
			return err
		}
		defer gets.Close()
		return trace(ctx, store, open, gets, tracedGets, func(key, value []byte) {
			now.from = s.from(key, value)
			f.gets = append(f.gets, now)
			now = tracedGet{}
		})
	})
	return f, err
}

// from is the number of tables from which on an entry is there.
func (s *Stack) from(key, value []byte) int {
	block, ok := chaindata.BlockOf(key, value)
	if !ok {
		return 0
	}
	return sort.Search(s.Tables(), func(n int) bool { return block <= s.Newest(n) })
}

// cliff is the least number of tables, of up to so many, that is behind the cliff of a
// cache; 0 if none is.
func (f *predictor) cliff(ctx context.Context, cache engine.Cache, most int) (int, error) {
	return firstPast(most, func(tables int) (bool, error) {
		newest, err := f.newestFile(ctx, tables%f.tables)
		return f.pastCliff(cache, tables, newest), err
	})
}

// newestFile is the last file of the first so many tables. Libraries number files as
// they make them.
func (f *predictor) newestFile(ctx context.Context, tables int) (newest uint64, err error) {
	err = f.run.with(ctx, f.stack, tables, func(store engine.Store) error {
		for file := range filesOf(level0Of(store.Shape())) {
			newest = max(newest, file)
		}
		return ctx.Err()
	})
	return newest, err
}

// pastCliff tells whether a cache has to read most of the indexes of L0 that are asked
// for. The first half of the Gets fill it. Of the newest tables, which are not all that
// were traced, newest is the last file.
func (f *predictor) pastCliff(cache engine.Cache, tables int, newest uint64) bool {
	var gets []tracedGet
	for _, g := range f.gets {
		if g.from <= tables {
			gets = append(gets, g)
		}
	}
	sim := simulation{cache: caches[f.run.Engine.Name()](cache)}
	for i, g := range gets {
		sim.counted = i >= len(gets)/2
		over := uint64(tables/f.tables) * f.beyond
		for _, b := range g.l0 {
			if b.file <= newest {
				sim.ask(b, b.file+over)
			}
		}
		for over > 0 {
			over -= f.beyond
			for _, b := range g.l0 {
				sim.ask(b, b.file+over)
			}
		}
		for _, b := range g.below {
			sim.ask(b, b.file)
		}
	}
	return 2*sim.read > sim.asked
}
