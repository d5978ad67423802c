package level0

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"getio/engine"
	"getio/record"
	"getio/workload"
)

// cliff predicts and measures where the L0 tables' indexes and filters no longer fit a
// cache.
func (r *Run) cliff(ctx context.Context, s *Stack, bytes int64, filters bool) (c record.Level0Cliff, err error) {
	c.Most = int64(s.Tables())
	open := engine.OpenConfig{CacheBytes: bytes, NoFilters: !filters}
	err = r.with(ctx, s, s.Tables(), func(store engine.Store) error { return r.predict(ctx, &c, store, open) })
	if err != nil {
		return c, err
	}
	// More tables never serve better, so that the first number that is behind the cliff
	// is found by halving.
	measured := sort.Search(s.Tables()+1, func(n int) bool {
		behind := false
		if err == nil {
			err = r.with(ctx, s, n, func(store engine.Store) (err error) {
				p := &point{Run: r, store: store, stack: s, tables: n, open: open}
				behind, err = p.behindCliff(ctx)
				return err
			})
		}
		return behind
	})
	if err != nil || measured > s.Tables() {
		return c, err
	}
	return c, r.with(ctx, s, measured, func(store engine.Store) error {
		c.Measured = level0Of(store.Shape()).Tables
		return nil
	})
}

// behindCliff tells whether most indexes that Gets ask for are read.
func (p *point) behindCliff(ctx context.Context) (bool, error) {
	if p.Measuring != nil {
		p.Measuring(p.tables, p.open.CacheBytes, !p.open.NoFilters)
	}
	result, err := p.get(ctx)
	if err != nil {
		return false, err
	}
	if failed := result.Checks.Failed(); len(failed) > 0 {
		return false, fmt.Errorf("self-checks failed while the cliff was searched (%s: %s): no figure of this run can be believed", failed[0].Name, failed[0].Detail)
	}
	return indexHits(result) < 0.5, nil
}

// tracedGets are enough to tell what most Gets ask for.
const tracedGets = 500

// predict works out the number of tables from which on most Gets ask for more bytes than
// the cache has: then a block that every Get asks for, as a table's index, is dropped
// before its turn comes again. How much a Get asks for, of L0 and below, is traced with
// no cache.
func (r *Run) predict(ctx context.Context, c *record.Level0Cliff, store engine.Store, open engine.OpenConfig) error {
	l0 := map[uint64]bool{}
	for _, t := range level0Of(store.Shape()).TableList {
		l0[t.File] = true
	}
	if len(l0) == 0 {
		return nil
	}
	room, err := room(store, open)
	if err != nil {
		return err
	}
	var now asked
	open.CacheBytes, open.Trace = 0, func(read engine.TableRead) {
		switch n := float64(store.CachedSize(int64(read.Block))); {
		case read.Block == 0: // of opening a table
		case l0[read.File]:
			now.perTable += n / float64(len(l0))
		default:
			now.besides += n
		}
	}
	var gets []asked
	if err := r.trace(ctx, store, open, func() {
		gets = append(gets, now)
		now = asked{}
	}); err != nil {
		return err
	}
	c.BytesPerTable = median(gets, func(a asked) float64 { return a.perTable })
	c.OtherBytes = median(gets, func(a asked) float64 { return a.besides })
	c.Predicted = median(gets, func(a asked) float64 { return max(float64(room)-a.besides, 0) / max(a.perTable, 1) })
	return nil
}

// asked is what a Get asks for, in bytes as the cache charges them: of each L0 table in
// the mean, and of all others.
type asked struct{ perTable, besides float64 }

func median(gets []asked, of func(asked) float64) float64 {
	list := make([]float64, len(gets))
	for i, a := range gets {
		list[i] = of(a)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// room is what a cache has for blocks, in bytes.
func room(store engine.Store, open engine.OpenConfig) (int64, error) {
	db, err := store.Open(open)
	if err != nil {
		return 0, err
	}
	cache := db.Cache()
	return cache.Bytes - cache.Reserved, db.Close()
}

// trace makes Gets of any keys, and tells of each when it is made.
func (r *Run) trace(ctx context.Context, store engine.Store, open engine.OpenConfig, made func()) (err error) {
	keys, err := workload.Sampled(store, r.Seed, 0)
	if err != nil {
		return err
	}
	defer keys.Close()
	if err := keys.Prepare(ctx, 0, tracedGets); err != nil {
		return err
	}
	db, err := store.Open(open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var key, value []byte
	for g := range int64(tracedGets) {
		asked, want := keys.Key(g, key)
		got, found, err := db.Get(asked, value)
		if err == nil {
			err = keys.Check(g, want, asked, found, got)
		}
		if err != nil {
			return err
		}
		key, value = asked, got
		made()
	}
	return nil
}
