// Package level0 measures the cost of L0 tables. It adds more and more of them to a copy of a chain
// that getio made, with compactions held back, and runs client operations at each number of tables.
//
// A Get may consult every L0 table, so their filters and indexes are accessed in turn, over
// and over. While the block cache holds all of them they cost no reads. Once it does not, a
// cache that evicts the least recently used block has evicted each before its next turn.
package level0

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/lsm"
	"getio/ethereum/chain"
	"getio/ethereum/chainload"
	"getio/measure"
	"getio/measure/keysource"
	"getio/record"
	"getio/system/machine"
	"getio/workload"
)

// Run is what to measure on a stack.
type Run struct {
	Engine engine.Engine
	Dir    string // of a chain made by getio
	Made   *record.ChainMade
	// TableBytes is the size of the blocks, receipts and index entries in each table,
	// MinTableBytes to MaxTableBytes.
	TableBytes int64
	Tables     []int   // numbers of additional tables
	Caches     []int64 // in bytes
	Filters    []bool  // whether Gets consult the tables' filters
	Operations int
	Warmup     int
	Seed       uint64
	// Progress, if set, is called after each table that was added.
	Progress func(tables, of int)
	// Measuring, if set, is called before each measurement.
	Measuring func(tables int, cacheBytes int64)

	cfg engine.Config
}

// GrowAndMeasure makes the stack for the chain in r.Dir, measures it and removes it. It first
// refuses a run that cannot succeed.
func (r *Run) GrowAndMeasure(ctx context.Context, engines engine.Registry) ([]*record.Level0, error) {
	if err := r.prepare(engines); err != nil {
		return nil, err
	}
	if err := r.check(ctx); err != nil {
		return nil, err
	}
	s, err := r.Grow(ctx, r.most())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return r.Measure(ctx, s)
}

// prepare reads the chain's description and sorts the numbers of tables and the caches.
func (r *Run) prepare(engines engine.Registry) (err error) {
	if r.Operations+r.Warmup > chain.MaxOperations {
		return fmt.Errorf("--ops %d and --warmup %d are out of range: want 1 to %d in all", r.Operations, r.Warmup, chain.MaxOperations)
	}
	r.Tables = slices.Compact(slices.Sorted(slices.Values(r.Tables)))
	r.Caches = slices.Compact(slices.Sorted(slices.Values(r.Caches)))
	if r.Made, err = chainload.ReadMade(r.Dir); err != nil {
		return err
	}
	if r.Made == nil {
		return fmt.Errorf("%s is not a chain made by getio (it has no %s): name the directory above its chaindata, or make one with 'getio chain build'", r.Dir, chainload.MadeName)
	}
	if r.Engine, err = engines.ByName(r.Made.Engine); err != nil {
		return err
	}
	library, known := libraries[r.Engine.Name()]
	if !known {
		return fmt.Errorf("L0 tables cannot be added to a chain of %s: make one with another engine", r.Engine.Name())
	}
	if r.most() > library.most {
		return fmt.Errorf("--tables %d is too many: %s can hold up to %d in L0", r.most(), r.Made.Engine, library.most)
	}
	for _, bytes := range r.Caches {
		if err := machine.FitsCache(bytes); err != nil {
			return err
		}
	}
	return nil
}

// most is the largest number of additional tables.
func (r *Run) most() int { return r.Tables[len(r.Tables)-1] }

// check opens the chain with each cache.
func (r *Run) check(ctx context.Context) error {
	plan := r.Made.Plan
	if plan.Txs == 0 {
		return fmt.Errorf("%s was made without transactions, which the L0 tables are to contain: make a chain with some", r.Dir)
	}
	dir := chainload.StoreDir(r.Dir)
	store, err := chainload.OpenReadOnly(ctx, r.Engine, dir)
	if err != nil {
		return err
	}
	defer store.Close()
	for _, bytes := range r.Caches {
		c, err := chain.Open(store, chain.Place{Dir: dir, Ancient: filepath.Join(dir, chaindata.AncientDir)}, engine.OpenConfig{CacheBytes: bytes})
		if err != nil {
			return err
		}
		head := c.Head()
		if err := c.Close(); err != nil {
			return err
		}
		if head != plan.Blocks {
			return fmt.Errorf("the newest block of %s is %d, not %d as when it was made: make another chain", r.Dir, head, plan.Blocks)
		}
	}
	return nil
}

// Measure measures each cache, with and without filters as requested.
func (r *Run) Measure(ctx context.Context, s *Stack) (results []*record.Level0, err error) {
	if r.cfg, err = r.Engine.Configure(chainload.Preset(r.Engine.Name()), nil); err != nil {
		return nil, err
	}
	for _, filters := range r.Filters {
		var p *predictor
		if s.Tables() > 0 {
			if p, err = r.newPredictor(ctx, s, s.Tables(), filters); err != nil {
				return nil, err
			}
		}
		for _, bytes := range r.Caches {
			one, err := r.cache(ctx, s, p, bytes, filters)
			if err != nil {
				return nil, err
			}
			results = append(results, one)
		}
	}
	return results, nil
}

// cache measures one cache at all numbers of tables.
func (r *Run) cache(ctx context.Context, s *Stack, predictor *predictor, bytes int64, filters bool) (*record.Level0, error) {
	result := &record.Level0{
		Schema: record.Level0Schema, Path: r.Dir, Filters: filters,
		Engine:      record.Engine{Name: r.Engine.Name(), Version: r.Engine.Version(), Preset: r.cfg.Preset(), Options: r.cfg.Effective()},
		Workload:    record.Level0Operations{Seed: r.Seed, WarmupOperations: int64(r.Warmup), Operations: int64(r.Operations)},
		Environment: record.ThisMachine(),
	}
	for _, n := range r.Tables {
		if r.Measuring != nil {
			r.Measuring(n, bytes)
		}
		err := r.with(ctx, s, n, func(store engine.Store) error {
			p := &point{Run: r, store: store, stack: s, tables: n, open: engine.OpenConfig{CacheBytes: bytes, NoFilters: !filters}}
			row, err := p.row(ctx, result)
			result.Rows = append(result.Rows, row)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var err error
	result.Cliff, err = r.cliff(ctx, s, predictor, engine.Cache{Bytes: result.Cache.Bytes, Shards: result.Cache.Shards, Reserved: result.Cache.ReservedBytes}, filters)
	result.Time = time.Now().UTC().Truncate(time.Second)
	return result, err
}

// with opens the copy with a number of additional tables.
func (r *Run) with(ctx context.Context, s *Stack, tables int, do func(engine.Store) error) error {
	store, err := r.Engine.OpenStore(ctx, s.Dir(tables), r.cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	return do(store)
}

// point is one number of tables with one cache.
type point struct {
	*Run
	store  engine.Store
	stack  *Stack
	tables int
	open   engine.OpenConfig
}

func (p *point) row(ctx context.Context, of *record.Level0) (*record.Level0Row, error) {
	l0 := level0Of(p.store.Shape())
	row := &record.Level0Row{Tables: l0.Tables, Sublevels: int64(l0.Sublevels), Operations: map[string]record.Level0Operation{}}
	for _, t := range l0.TableList {
		row.IndexBytes += p.store.CacheCharge(t.TopIndexBytes) + t.IndexBlocks*p.store.CacheCharge(t.IndexBytes/max(t.IndexBlocks, 1))
		if p.open.NoFilters {
			continue
		}
		row.FilterBytes += p.store.CacheCharge(t.FilterBytes)
	}
	for name, o := range map[string]chain.Operation{record.L0OldBlock: chain.BlockByHash, record.L0RecentBlock: chain.BlockByHash, record.L0OldTx: chain.Transaction, record.L0RecentTx: chain.Transaction} {
		blocks := chain.Popularity{Seed: p.Seed, Last: p.stack.Base}
		if name == record.L0RecentBlock || name == record.L0RecentTx {
			if p.tables == 0 {
				continue // L0 has none
			}
			blocks = chain.Popularity{Seed: p.Seed, First: p.stack.Base + 1, Last: p.stack.Newest(p.tables)}
		}
		if err := p.operation(ctx, name, o, blocks, row); err != nil {
			return nil, err
		}
	}
	result, err := p.get(ctx)
	if err != nil {
		return nil, err
	}
	row.Operations[record.L0Get] = record.Level0Operation{KVGets: 1, Reads: result.IOsPerGet, BytesRead: result.BytesPerGet}
	row.Checks = append(row.Checks, result.Checks...)
	of.Cache = result.Cache
	return row, nil
}

func level0Of(s *lsm.Shape) lsm.Level {
	if len(s.Levels) > 0 && s.Levels[0].Level == 0 {
		return s.Levels[0]
	}
	return lsm.Level{}
}

// operation measures an operation on a range of blocks.
func (p *point) operation(ctx context.Context, name string, o chain.Operation, blocks chain.Popularity, row *record.Level0Row) error {
	dir := p.stack.Dir(p.tables)
	place := chain.Place{Dir: dir, Ancient: filepath.Join(chainload.StoreDir(p.Dir), chaindata.AncientDir)}
	draw, err := chain.OpenToDraw(p.store, place)
	if err != nil {
		return err
	}
	targets, err := draw.Targets(ctx, o, blocks, p.Warmup+p.Operations)
	if err := errors.Join(err, draw.Close()); err != nil {
		return err
	}
	run := chain.Run{
		Operation: o, Targets: func(n int) ([]chain.Target, error) { return targets[:n], nil }, Warmup: p.Warmup, Operations: p.Operations,
	}
	r, err := run.Measure(ctx, p.store, place, p.open)
	if err != nil {
		return err
	}
	row.Operations[name] = record.Level0Operation{KVGets: r.PerOp.KVGets, Reads: r.Reads, BytesRead: r.PerOp.BytesRead}
	for _, c := range r.Checks {
		c.Name = fmt.Sprintf("%s: %s", name, c.Name)
		row.Checks = append(row.Checks, c)
	}
	return nil
}

// get measures Gets of any keys.
func (p *point) get(ctx context.Context) (*record.Result, error) {
	keys, err := keysource.Sampled(p.store, workload.Keys{Seed: p.Seed})
	if err != nil {
		return nil, err
	}
	defer keys.Close()
	return measure.Measure(ctx, p.store, p.open, keys, measure.Options{
		Workload: workload.Workload{Gets: int64(p.Operations), Warmup: workload.WarmupGets(int64(p.Warmup)), Workers: 1},
		Counted:  measure.Counted{NoSplit: true},
	})
}
