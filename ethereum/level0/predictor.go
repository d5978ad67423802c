package level0

import (
	"context"
	"sort"

	"getio/engine"
	"getio/ethereum/chaindata"
	"getio/predict/cachesim"
	"getio/tree/readpath"
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
	// beyond is larger than any file number.
	beyond uint64
}

// tracedGet is the accesses of a Get: first L0, then the levels below.
type tracedGet struct {
	from      int // least number of tables with its key
	l0, below []tracedBlock
}

type tracedBlock struct {
	file         uint64
	offset       uint32
	stored, size uint32 // in the file, including the trailer, and decompressed; in bytes
	index        bool   // an index of an L0 table
}

// tracedGets is enough for the cliff to differ by only a few per cent between seeds, even if
// most keys are in tables that are missing.
const tracedGets = 5000

// newPredictor traces Gets at a number of tables, with or without filters.
func (r *Run) newPredictor(ctx context.Context, s *Stack, tables int, filters bool) (*predictor, error) {
	f := &predictor{run: r, stack: s, tables: tables}
	err := r.with(ctx, s, tables, func(store engine.Store) error {
		l0 := filesOf(level0Of(store.Shape()))
		var now tracedGet
		open := engine.OpenConfig{NoFilters: !filters, Trace: func(read engine.TableRead) {
			if read.Block == 0 {
				return // read to open a table, past the block cache
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
		return f.pastCliff(cache, tables, newest), err
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

// simulation counts how a simulated cache serves the L0 indexes.
type simulation struct {
	cache simulated
	// counted says that accesses count from now on.
	counted     bool
	asked, read int
}

// simulated is a library's cache. It reports whether it held the block, and holds it afterwards.
type simulated func(file uint64, b tracedBlock) (hit bool)

// caches makes the cache of each engine.
var caches = map[string]func(engine.Cache) simulated{
	"pebblev1":  func(c engine.Cache) simulated { return simulatedPebble(cachesim.PebbleV1, c) },
	"pebblev2":  func(c engine.Cache) simulated { return simulatedPebble(cachesim.PebbleV2, c) },
	"goleveldb": simulatedLevelDB,
}

func simulatedPebble(library cachesim.Library, c engine.Cache) simulated {
	n := int64(c.Shards)
	shards := make([]*cachesim.ClockPro, n)
	for i := range shards {
		shards[i] = cachesim.NewClockPro(c.Bytes/n - (c.Reserved+n-1)/n)
	}
	return func(file uint64, b tracedBlock) bool {
		shard := shards[library.Shard(library.Hash(file, uint64(b.offset)), len(shards))]
		return shard.Access(number(file, b), b.size+library.BlockOverhead)
	}
}

func simulatedLevelDB(c engine.Cache) simulated {
	cache := cachesim.NewLevelDB(c.Bytes)
	return func(file uint64, b tracedBlock) bool { return cache.Access(number(file, b), b.stored, b.size) }
}

// number identifies a block.
func number(file uint64, b tracedBlock) uint64 { return file<<32 | uint64(b.offset) }

// ask accesses a block under a given file number and reports whether it was a hit.
func (s *simulation) ask(b tracedBlock, file uint64) (hit bool) {
	hit = s.cache(file, b)
	if b.index && s.counted {
		s.asked++
		if !hit {
			s.read++
		}
	}
	return hit
}
