package catalog

import (
	"bytes"
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"getio/tree/lsm"
)

// SampleSharedKeys implements engine.TreeSampler. It takes a few records of every n-th data block of the sampled
// tables. Each record stands for all records of its block.
func (c *Catalog[T]) SampleSharedKeys(ctx context.Context, most int64, progress func(done, all int)) ([]lsm.SharedKeys, error) {
	if c.shape.Runs() < 2 {
		return nil, nil
	}
	k := &sharedKeys{runs: c.runs(), records: map[lsm.SortedRun]uint64{}, shared: map[[2]lsm.SortedRun]uint64{}}
	tables, all := c.sampled()
	step, each := max(all/uint64(most), 1), max(uint64(most)/max(all, 1), 1)
	before := make([]uint64, len(tables)) // data blocks before each table
	for i := 1; i < len(tables); i++ {
		before[i] = before[i-1] + tables[i-1].DataBlocks()
	}
	report := func() { // the caller holds the lock
		k.done++
		progress(k.done, len(tables)+len(c.Tables))
	}
	err := c.eachOf(ctx, tables, func(i int) error {
		first := (before[i] + step - 1) / step * step
		drawn, err := k.draw(ctx, tables[i], first-before[i], step, int(each))
		if err != nil {
			return err
		}
		k.one.Lock()
		defer k.one.Unlock()
		k.keys = append(k.keys, drawn...)
		for _, key := range drawn {
			k.records[key.run] += key.records
		}
		report()
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(k.keys, func(a, b sampledKey) int { return bytes.Compare(a.key, b.key) })
	err = c.eachOf(ctx, c.Tables, func(i int) error {
		shared, run, err := k.lookUp(c.Tables[i])
		if err != nil {
			return err
		}
		k.one.Lock()
		defer k.one.Unlock()
		for of, records := range shared {
			k.shared[[2]lsm.SortedRun{of, run}] += records
		}
		report()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return k.shares(), nil
}

// sharedKeys looks keys of sorted runs up in other runs.
type sharedKeys struct {
	runs map[tableRef]lsm.SortedRun
	one  sync.Mutex   // protects what follows
	done int          // tables that were drawn from or searched
	keys []sampledKey // in order once all are drawn
	// records are how many records the keys of a run stand for, and shared how many of these are in
	// another run.
	records map[lsm.SortedRun]uint64
	shared  map[[2]lsm.SortedRun]uint64
}

type sampledKey struct {
	key     []byte
	run     lsm.SortedRun
	records uint64 // for which it stands
}

// tableRef tells a table from others, also from virtual ones of the same file.
type tableRef struct {
	file     uint64
	smallest string
}

func refOf[T Table](t T) tableRef {
	ref := &t.tail().Ref
	return tableRef{ref.File, string(ref.Smallest)}
}

// runs returns the sorted run of each table.
func (c *Catalog[T]) runs() map[tableRef]lsm.SortedRun {
	runs := make(map[tableRef]lsm.SortedRun, len(c.Tables))
	for _, level := range c.shape.Levels {
		for _, t := range level.TableList {
			runs[tableRef{t.File, string(t.Smallest)}] = lsm.SortedRun{Level: level.Level, Sublevel: t.Sublevel}
		}
	}
	return runs
}

// draw draws as many records as each says from data block first of a table, and from every step-th block after it.
// Deletions are left out.
func (k *sharedKeys) draw(ctx context.Context, t Table, first, step uint64, each int) (drawn []sampledKey, err error) {
	if first >= t.DataBlocks() {
		return nil, nil
	}
	run := k.runs[refOf(t)]
	err = inIndex(t, func(f File, index Index) error {
		random := rand.New(rand.NewPCG(t.tail().Ref.File, first))
		for n := first; n < index.Len(); n += step {
			err := index.Read(f, n, func(all Records) error {
				keys, records, err := drawFrom(all, random, each)
				for _, key := range keys {
					drawn = append(drawn, sampledKey{key: key, run: run, records: records})
				}
				return err
			})
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
		}
		return nil
	})
	return drawn, err
}

// drawFrom draws n of a data block's records, with replacement. It returns the keys of those that set a key, and
// how many records the block has.
func drawFrom(all Records, random *rand.Rand, n int) (keys [][]byte, records uint64, err error) {
	drawn := make([][]byte, n) // nil of a deletion
	err = all(func(key []byte, does Record) bool {
		records++
		for i := range drawn {
			if random.Uint64N(records) != 0 {
				continue // each record of the block is as likely to be the last one taken
			}
			if drawn[i] = nil; does == Sets {
				drawn[i] = bytes.Clone(key)
			}
		}
		return true
	})
	return slices.DeleteFunc(drawn, func(key []byte) bool { return key == nil }), records, err
}

// lookUp looks up in a table the keys of other runs that lie within its bounds. It returns the table's run, and
// how many records of each other run have keys there.
func (k *sharedKeys) lookUp(t Table) (shared map[lsm.SortedRun]uint64, run lsm.SortedRun, err error) {
	ref := &t.tail().Ref
	run = k.runs[refOf(t)]
	from, _ := slices.BinarySearchFunc(k.keys, ref.Smallest, func(s sampledKey, key lsm.Key) int { return bytes.Compare(s.key, key) })
	var others []sampledKey
	var keys [][]byte
	for _, s := range k.keys[from:] {
		if bytes.Compare(s.key, ref.Largest) > 0 {
			break
		}
		if s.run != run {
			others, keys = append(others, s), append(keys, s.key)
		}
	}
	if len(others) == 0 {
		return nil, run, nil
	}
	shared = map[lsm.SortedRun]uint64{}
	err = find(t, keys, func(i int) { shared[others[i].run] += others[i].records })
	return shared, run, err
}

// shares returns the shares of records, in the order of runs.
func (k *sharedKeys) shares() (list []lsm.SharedKeys) {
	for runs, records := range k.shared {
		list = append(list, lsm.SharedKeys{Of: runs[0], In: runs[1], Share: float64(records) / float64(k.records[runs[0]])})
	}
	compare := func(a, b lsm.SortedRun) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Sublevel, b.Sublevel))
	}
	slices.SortFunc(list, func(a, b lsm.SharedKeys) int { return cmp.Or(compare(a.Of, b.Of), compare(a.In, b.In)) })
	return list
}
