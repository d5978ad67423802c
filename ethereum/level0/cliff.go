package level0

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
)

// cliff predicts and measures the number of L0 tables whose indexes no longer fit the cache.
func (r *Run) cliff(ctx context.Context, s *Stack, predictor *predictor, cache engine.Cache, filters bool) (record.Level0Cliff, error) {
	c := record.Level0Cliff{Most: int64(s.Tables())}
	if s.Tables() == 0 {
		return c, nil
	}
	c.MostPredicted = int64(max(s.Tables(), maxTables[r.Engine.Name()]))
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
