package level0

import (
	"context"
	"fmt"
	"sort"

	"getio/engine"
	"getio/lsm"
	"getio/record"
)

// cliff predicts and measures where the L0 tables' indexes and filters no longer fit a
// cache.
func (r *Run) cliff(ctx context.Context, s *Stack, bytes int64, filters bool) (c record.Level0Cliff, err error) {
	c.Most = int64(s.Tables())
	open := engine.OpenConfig{CacheBytes: bytes, NoFilters: !filters}
	err = r.with(ctx, s, s.Tables(), func(store engine.Store) error { return r.predict(&c, store, open) })
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

// predict works out the number of tables at which a Get asks for as many bytes, between
// two times that it asks for a block of L0, as the cache has: all indexes and filters of
// L0, and what it asks for below.
func (r *Run) predict(c *record.Level0Cliff, store engine.Store, open engine.OpenConfig) error {
	db, err := store.Open(open)
	if err != nil {
		return err
	}
	cache := db.Cache()
	if err := db.Close(); err != nil {
		return err
	}
	of := asked{store: store, filters: !open.NoFilters, blockSize: r.blockSize}
	found := 0.0 // the data block that has the key
	for _, level := range store.Shape().Levels {
		bytes := of.perTable(level)
		if level.Level == 0 {
			c.BytesPerTable = bytes
			continue
		}
		c.OtherBytes += bytes
		if table := &level.TableList[0]; of.filters {
			found = float64(of.dataBlock(table)) // of the last level in the end
		}
	}
	c.OtherBytes += found
	if c.BytesPerTable > 0 {
		c.Predicted = max(float64(cache.Bytes-cache.Reserved)-c.OtherBytes, 0) / c.BytesPerTable
	}
	return nil
}

// asked is what Gets ask for, as the cache charges it.
type asked struct {
	store     engine.Store
	filters   bool
	blockSize int64 // at which a data block is full
}

// perTable is what a Get that visits a table of a level in vain asks for, in bytes and
// in the mean. Of a table of L0 without a filter that is a data block, which another
// Get seldom asks for, and all index blocks, as one Get after the other asks for
// another of them.
func (a *asked) perTable(level lsm.Level) float64 {
	sum := int64(0)
	for _, t := range level.TableList {
		sum += a.store.CachedSize(t.TopIndexBytes)
		if a.filters && t.FilterBytes > 0 {
			sum += a.store.CachedSize(t.FilterBytes)
			continue
		}
		sum += a.dataBlock(&t)
		if t.IndexBlocks > 0 {
			block, blocks := a.store.CachedSize(t.IndexBytes/t.IndexBlocks), int64(1)
			if level.Level == 0 {
				blocks = t.IndexBlocks
			}
			sum += block * blocks
		}
	}
	return float64(sum) / float64(max(level.Tables, 1))
}

// dataBlock is what a data block of a table takes, in the mean. Tables that do not say
// how much they hold have blocks that end beyond the block size, by a record.
func (a *asked) dataBlock(t *lsm.Table) int64 {
	if t.RawBytes > 0 {
		return a.store.CachedSize(t.RawBytes / max(t.DataBlocks, 1))
	}
	return a.store.CachedSize(a.blockSize + a.blockSize/16)
}
