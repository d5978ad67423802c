package level0

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"getio/engine"
	"getio/lsm"
	"getio/readpath"
	"getio/record"
	"getio/workload"
)

// cliff predicts and measures where the L0 tables' indexes no longer fit a cache.
func (r *Run) cliff(ctx context.Context, s *Stack, bytes int64, filters bool) (c record.Level0Cliff, err error) {
	c.Most = int64(s.Tables())
	open := engine.OpenConfig{CacheBytes: bytes, NoFilters: !filters}
	if s.Tables() == 0 {
		return c, nil
	}
	share, err := r.foresee(ctx, &c, s, open)
	if err != nil {
		return c, err
	}
	// More tables never serve better, so that the first number that is behind the cliff
	// is found by halving; the one before it has been found not to be.
	measured := 1 + sort.Search(s.Tables(), func(n int) bool {
		behind := false
		if err == nil {
			err = r.with(ctx, s, n+1, func(store engine.Store) (err error) {
				p := &point{Run: r, store: store, stack: s, tables: n + 1, open: open}
				behind, err = p.behindCliff(ctx, share)
				return err
			})
		}
		return behind
	})
	if err == nil && measured <= s.Tables() {
		c.Measured = int64(measured)
	}
	return c, err
}

// foresights bound how often the number of tables is predicted.
const foresights = 4

// foresee predicts from Gets at the number of tables that is predicted: which keys there
// are, and so which blocks Gets ask for, changes with it. share is of how many of the
// L0 tables a Get asks for the index.
func (r *Run) foresee(ctx context.Context, c *record.Level0Cliff, s *Stack, open engine.OpenConfig) (share float64, err error) {
	at := s.Tables()
	for range foresights {
		err = r.with(ctx, s, at, func(store engine.Store) (err error) {
			share, err = r.predict(ctx, c, store, open)
			return err
		})
		next := min(max(int(math.Round(c.Predicted)), 1), s.Tables())
		if err != nil || next == at {
			break
		}
		at = next
	}
	return share, err
}

// behindCliff tells whether most indexes of L0 that Gets ask for are read; a Get asks
// for those of a share of the tables.
func (p *point) behindCliff(ctx context.Context, share float64) (bool, error) {
	if p.Measuring != nil {
		p.Measuring(p.tables, p.open.CacheBytes, !p.open.NoFilters)
	}
	l0 := filesOf(level0Of(p.store.Shape()))
	made, reads := 0, 0
	open := p.open
	open.Trace = func(read engine.TableRead) {
		if made >= p.Warmup && read.Component == readpath.TopIndex && l0[read.File] {
			reads++
		}
	}
	if err := p.trace(ctx, p.store, open, p.Warmup+p.Operations, func() { made++ }); err != nil {
		return false, err
	}
	asked := float64(p.Operations) * share * float64(len(l0))
	return float64(reads) > asked/2, nil
}

func filesOf(l lsm.Level) map[uint64]bool {
	files := map[uint64]bool{}
	for _, t := range l.TableList {
		files[t.File] = true
	}
	return files
}

// tracedGets are enough to tell what most Gets ask for.
const tracedGets = 500

// predict works out the number of tables from which on most Gets ask for more bytes than
// the cache has: then a block that every Get asks for, as a table's index, is dropped
// before its turn comes again. How much a Get asks for, of L0 and below, is traced with
// no cache; share is of how many of the L0 tables it asks for the index.
func (r *Run) predict(ctx context.Context, c *record.Level0Cliff, store engine.Store, open engine.OpenConfig) (share float64, err error) {
	l0 := filesOf(level0Of(store.Shape()))
	if len(l0) == 0 {
		return 0, nil
	}
	room, largest, err := room(store, open)
	if err != nil {
		return 0, err
	}
	var now asked
	indexes := 0
	open.CacheBytes, open.Trace = 0, func(read engine.TableRead) {
		n := store.CachedSize(int64(read.Block))
		switch {
		case read.Block == 0 || n > largest: // of opening a table, or never kept
		case l0[read.File]:
			now.perTable += float64(n) / float64(len(l0))
		default:
			now.besides += float64(n)
		}
		if read.Component == readpath.TopIndex && l0[read.File] {
			indexes++
		}
	}
	var gets []asked
	if err := r.trace(ctx, store, open, tracedGets, func() {
		gets = append(gets, now)
		now = asked{}
	}); err != nil {
		return 0, err
	}
	c.BytesPerTable = median(gets, func(a asked) float64 { return a.perTable })
	c.OtherBytes = median(gets, func(a asked) float64 { return a.besides })
	c.Predicted = median(gets, func(a asked) float64 { return max(float64(room)-a.besides, 0) / max(a.perTable, 1) })
	return float64(indexes) / tracedGets / float64(len(l0)), nil
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

// room is what a cache has for blocks, and the largest block that it keeps, in bytes.
func room(store engine.Store, open engine.OpenConfig) (bytes, largest int64, err error) {
	db, err := store.Open(open)
	if err != nil {
		return 0, 0, err
	}
	cache := db.Cache()
	bytes = cache.Bytes - cache.Reserved
	return bytes, bytes / int64(cache.Shards), db.Close()
}

// trace makes Gets of any keys, and tells of each when it is made.
func (r *Run) trace(ctx context.Context, store engine.Store, open engine.OpenConfig, n int, made func()) (err error) {
	keys, err := workload.Sampled(store, r.Seed, 0)
	if err != nil {
		return err
	}
	defer keys.Close()
	if err := keys.Prepare(ctx, 0, int64(n)); err != nil {
		return err
	}
	db, err := store.Open(open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	before := db.Counts()
	var key, value []byte
	for g := range int64(n) {
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
	checks := record.Checks(db.Check(db.Counts().Sub(before)))
	if failed := checks.Failed(); len(failed) > 0 {
		return fmt.Errorf("self-checks failed while the cliff was searched (%s: %s): no figure of this run can be believed", failed[0].Name, failed[0].Detail)
	}
	return nil
}
