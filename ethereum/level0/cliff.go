package level0

import (
	"context"
	"sort"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/readpath"
	"getio/predict/cachesim"
)

// predictor holds Gets traced without a cache, and the blocks that each accessed. The
// accesses do not depend on the cache. With fewer tables, a Get accesses the same blocks
// except those of missing tables, and is left out if its key is in one of them. With more
// tables, the traced ones are assumed to repeat.
type predictor struct {
	run    *Run
	stack  *Stack
	tables int
	gets   []tracedGet
	// library caches the blocks.
	library cachesim.Library
	// beyond is larger than any file number.
	beyond uint64
	blocks cachesim.Numbers
}

// tracedGet is the accesses of a Get: first L0, then the levels below.
type tracedGet struct {
	from      int // least number of tables with its key
	l0, below []tracedBlock
}

type tracedBlock struct {
	cachesim.Block
	index bool // of an L0 table
}

// tracedGets is enough for the cliff to differ by only a few per cent between seeds, even if
// most keys are in tables that are missing.
const tracedGets = 5000

// newPredictor traces Gets at a number of tables, with or without filters.
func (r *Run) newPredictor(ctx context.Context, s *Stack, tables int, filters bool) (*predictor, error) {
	library, err := cachesim.LibraryOf(r.Engine.Name(), r.cfg.Effective())
	if err != nil {
		return nil, err
	}
	f := &predictor{run: r, stack: s, tables: tables, library: library, blocks: cachesim.Numbers{}}
	err = r.with(ctx, s, tables, func(store engine.Store) error {
		l0 := filesOf(level0Of(store.Shape()))
		var now tracedGet
		open := engine.OpenConfig{NoFilters: !filters, TraceAccesses: true, Trace: func(read engine.TableRead) {
			if read.Block == 0 {
				return // read to open a table, past the block cache
			}
			f.beyond = max(f.beyond, read.File+1)
			block := tracedBlock{Block: cachesim.Block{Number: f.blocks.Of(read.File, read.Offset), File: read.File, Offset: read.Offset, Stored: uint32(read.Length), Size: uint32(read.Block), Component: read.Component}}
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

// from returns the least number of tables that contain an entry.
func (s *Stack) from(key, value []byte) int {
	block, ok := chaindata.BlockOf(key, value)
	if !ok {
		return 0
	}
	return sort.Search(s.Tables(), func(n int) bool { return block <= s.Newest(n) })
}

// cliff returns the least number of tables, up to most, past the cliff of a cache; 0 if
// there is none.
func (f *predictor) cliff(ctx context.Context, cache engine.Cache, most int) (int, error) {
	return firstPast(most, func(tables int) (bool, error) {
		newest, err := f.newestFile(ctx, tables%f.tables)
		if err != nil {
			return false, err
		}
		return f.pastCliff(cache, tables, newest)
	})
}

// newestFile is the largest file number among the first tables. Libraries number files in
// order of creation.
func (f *predictor) newestFile(ctx context.Context, tables int) (newest uint64, err error) {
	err = f.run.with(ctx, f.stack, tables, func(store engine.Store) error {
		for file := range filesOf(level0Of(store.Shape())) {
			newest = max(newest, file)
		}
		return ctx.Err()
	})
	return newest, err
}

// pastCliff reports whether the cache would read most of the L0 indexes accessed. The first half of
// the Gets fills it. newest is the last file of an incomplete repetition of the traced tables.
func (f *predictor) pastCliff(cache engine.Cache, tables int, newest uint64) (bool, error) {
	var gets []tracedGet
	for _, g := range f.gets {
		if g.from <= tables {
			gets = append(gets, g)
		}
	}
	simulated, err := f.library.New(cache.Bytes, cache.Reserved, cache.Shards)
	if err != nil {
		return false, err
	}
	sim := simulation{cache: simulated}
	for i, g := range gets {
		sim.counted = i >= len(gets)/2
		repetition := uint64(tables / f.tables)
		for _, b := range g.l0 {
			if b.File <= newest {
				sim.ask(f.repeated(b, repetition))
			}
		}
		for repetition > 0 {
			repetition--
			for _, b := range g.l0 {
				sim.ask(f.repeated(b, repetition))
			}
		}
		for _, b := range g.below {
			sim.ask(b)
		}
	}
	return 2*sim.read > sim.asked, nil
}

// repeated returns the block of a repetition that stands for a traced one.
func (f *predictor) repeated(b tracedBlock, repetition uint64) tracedBlock {
	b.File += repetition * f.beyond
	b.Number += repetition * uint64(len(f.blocks))
	return b
}

// simulation counts how a simulated cache serves the L0 indexes.
type simulation struct {
	cache cachesim.Cache
	// counted says that accesses count from now on.
	counted     bool
	asked, read int
}

// ask accesses a block and reports whether it was a hit.
func (s *simulation) ask(b tracedBlock) (hit bool) {
	hit = s.cache.Access(b.Block)
	if b.index && s.counted {
		s.asked++
		if !hit {
			s.read++
		}
	}
	return hit
}
