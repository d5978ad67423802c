package level0

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/predict/cachesim"
	"getio/record"
	"getio/workload"
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
// even most tables lie before it.
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

// cliff predicts and measures the number of L0 tables whose indexes no longer fit the cache.
func (r *Run) cliff(ctx context.Context, s *Stack, predictor *predictor, cache engine.Cache, filters bool) (record.Level0Cliff, error) {
	c := record.Level0Cliff{Most: int64(s.Tables())}
	if s.Tables() == 0 {
		return c, nil
	}
	c.MostPredicted = int64(max(s.Tables(), libraries[r.Engine.Name()].most))
	predicted, err := predictor.cliff(ctx, cache, int(c.MostPredicted))
	if err != nil {
		return c, err
	}
	measured, err := firstPast(s.Tables(), func(tables int) (behind bool, err error) {
		err = r.with(ctx, s, tables, func(store engine.Store) (err error) {
			p := &point{Run: r, store: store, stack: s, tables: tables, open: engine.OpenConfig{CacheBytes: cache.Bytes, NoFilters: !filters}}
			behind, err = p.pastCliff(ctx)
			return err
		})
		return behind, err
	})
	c.Predicted, c.Measured = int64(predicted), int64(measured)
	return c, err
}

// firstPast returns the least number of tables from 1 to most that is past the cliff, or 0.
// Fewer tables are cheaper to measure, so it tries few first and then bisects. It relies on
// the cost never falling with more tables.
func firstPast(most int, behind func(tables int) (bool, error)) (int, error) {
	var failed error
	past := func(tables int) (is bool) {
		if failed == nil {
			is, failed = behind(tables)
		}
		return is
	}
	before := 0 // this many are not past the cliff
	for n := min(4, most); n > before; n = min(4*n, most) {
		if past(n) {
			return before + 1 + sort.Search(n-before-1, func(i int) bool { return past(before + 1 + i) }), failed
		}
		before = n
	}
	return 0, failed
}

// pastCliff reports whether most L0 index accesses are reads. The same Gets without a cache
// count the accesses.
func (p *point) pastCliff(ctx context.Context) (bool, error) {
	if p.Measuring != nil {
		p.Measuring(p.tables, p.open.CacheBytes)
	}
	gets, err := p.gets(ctx, p.store, p.Warmup+p.Operations)
	if err != nil {
		return false, err
	}
	defer gets.Close()
	read, err := p.indexReads(ctx, p.open, gets)
	if err != nil {
		return false, err
	}
	without := p.open
	without.CacheBytes = 0
	asked, err := p.indexReads(ctx, without, gets)
	return 2*read > asked, err
}

// indexReads counts the reads of L0 indexes once the cache is warm.
func (p *point) indexReads(ctx context.Context, open engine.OpenConfig, gets keysource.Sequence) (reads int, err error) {
	l0 := filesOf(level0Of(p.store.Shape()))
	made := 0
	open.Trace = func(read engine.TableRead) {
		if made >= p.Warmup && read.Component == readpath.TopIndex && l0[read.File] {
			reads++
		}
	}
	err = trace(ctx, p.store, open, gets, p.Warmup+p.Operations, func(_, _ []byte) { made++ })
	return reads, err
}

func filesOf(l lsm.Level) map[uint64]bool {
	files := map[uint64]bool{}
	for _, t := range l.TableList {
		files[t.File] = true
	}
	return files
}

// gets draws n Gets of any keys.
func (r *Run) gets(ctx context.Context, store engine.Store, n int) (keysource.Sequence, error) {
	gets, err := keysource.Sampled(store, workload.Keys{Seed: r.Seed})
	if err != nil {
		return nil, err
	}
	if err := gets.Prepare(ctx, 0, int64(n)); err != nil {
		return nil, errors.Join(err, gets.Close())
	}
	return gets, nil
}

// trace makes n Gets and calls made after each. Key and value are valid until the next Get.
func trace(ctx context.Context, store engine.Store, open engine.OpenConfig, keys keysource.Sequence, n int, made func(key, value []byte)) (err error) {
	db, err := store.Open(open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	before := db.Counts()
	var key, value []byte
	for g := range int64(n) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		asked, want := keys.Key(g, key)
		got, found, err := db.Get(asked, value)
		if err == nil {
			err = keys.Check(g, want, asked, found, got)
		}
		if err != nil {
			return err
		}
		key, value = asked, got
		made(key, value)
	}
	checks := readpath.Checks(db.Check(db.Counts().Sub(before)))
	if failed := checks.Failed(); len(failed) > 0 {
		return fmt.Errorf("a self-check failed during the search for the cliff (%s: %s): do not use figures of this run", failed[0].Name, failed[0].Detail)
	}
	return nil
}
