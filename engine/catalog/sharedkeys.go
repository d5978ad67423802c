package catalog

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"getio/engine/filelimit"
	"getio/tree/lsm"
)

// SampleSharedKeys implements engine.SharedKeysSampler for tables whose index is a BlockIndex. It takes a
// few records of every so many data blocks of the tree, each of which stands for all records of its block.
func SampleSharedKeys[T Table](ctx context.Context, c *Catalog[T], most int64) ([]lsm.SharedKeys, error) {
	if c.shape.Runs() < 2 {
		return nil, nil
	}
	k := &sharedKeys{runs: c.shape.SortedRuns(), records: map[lsm.SortedRun]uint64{}, shared: map[[2]lsm.SortedRun]uint64{}}
	if err := filelimit.Each(ctx, len(c.Tables), drawing(c, most, k)); err != nil {
		return nil, err
	}
	slices.SortFunc(k.keys, func(a, b sampledKey) int { return bytes.Compare(a.key, b.key) })
	err := filelimit.Each(ctx, len(c.Tables), func(i int) error { return k.lookUp(c.Tables[i]) })
	return k.shares(), err
}

// drawing returns what draws keys of table i.
func drawing[T Table](c *Catalog[T], most int64, k *sharedKeys) func(i int) error {
	blocks := make([]uint64, 1, len(c.Tables)+1) // before each table, then in all
	for _, t := range c.Tables {
		blocks = append(blocks, blocks[len(blocks)-1]+t.DataBlocks())
	}
	all := max(blocks[len(c.Tables)], 1)
	step, each := max(all/uint64(most), 1), max(uint64(most)/all, 1)
	return func(i int) error {
		first := (blocks[i] + step - 1) / step * step
		return k.draw(c.Tables[i], first-blocks[i], step, int(each))
	}
}

// sharedKeys looks keys of sorted runs up in other runs.
type sharedKeys struct {
	runs map[uint64]lsm.SortedRun // of the tables, by file
	one  sync.Mutex               // protects what follows
	keys []sampledKey             // in order once all are drawn
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

// draw draws records that set their keys from data block first of a table and each step-th after it, each
// as often as given.
func (k *sharedKeys) draw(t Table, first, step uint64, each int) error {
	if first >= t.DataBlocks() {
		return nil
	}
	var drawn []sampledKey
	ref := &t.tail().Ref
	err := inIndex(t, func(f File, index *BlockIndex) error {
		random := rand.New(rand.NewPCG(ref.File, first))
		for n := first; n < index.Len(); n += step {
			err := index.Read(f, n, func(all Records) (err error) {
				keys, records, err := drawFrom(all, random, each)
				for _, key := range keys {
					drawn = append(drawn, sampledKey{key: key, run: k.runs[ref.File], records: records})
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	k.one.Lock()
	defer k.one.Unlock()
	k.keys = append(k.keys, drawn...)
	for _, key := range drawn {
		k.records[key.run] += key.records
	}
	return err
}

// drawFrom draws so many of a data block's records, with replacement, and returns the keys of those that
// set one, and how many records the block has.
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

// lookUp looks up in a table the keys of other runs that lie within its bounds.
func (k *sharedKeys) lookUp(t Table) error {
	ref := &t.tail().Ref
	run := k.runs[ref.File]
	from, _ := slices.BinarySearchFunc(k.keys, ref.Smallest, func(s sampledKey, key lsm.Key) int { return bytes.Compare(s.key, key) })
	to := sort.Search(len(k.keys), func(i int) bool { return bytes.Compare(k.keys[i].key, ref.Largest) > 0 })
	if from >= to {
		return nil
	}
	shared := map[lsm.SortedRun]uint64{}
	err := inIndex(t, func(f File, index *BlockIndex) error {
		others := slices.DeleteFunc(slices.Clone(k.keys[from:to]), func(s sampledKey) bool { return s.run == run })
		return index.find(f, others, func(s sampledKey) { shared[s.run] += s.records })
	})
	k.one.Lock()
	defer k.one.Unlock()
	for of, records := range shared {
		k.shared[[2]lsm.SortedRun{of, run}] += records
	}
	return err
}

// inIndex calls use with a table's file and index.
func inIndex(t Table, use func(File, *BlockIndex) error) error {
	f, err := t.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	index, err := t.ReadIndex(f, true)
	if err == nil {
		err = use(f, index.(*BlockIndex))
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", t.tail().Ref.Path, err)
	}
	return nil
}

// find calls found with those keys, of keys in order, of which the table has a record. It reads each data
// block once.
func (x *BlockIndex) find(f File, keys []sampledKey, found func(sampledKey)) error {
	for len(keys) > 0 {
		n := sort.Search(len(x.all), func(i int) bool { return bytes.Compare(x.all[i].UpTo, keys[0].key) >= 0 })
		if n == len(x.all) {
			return nil
		}
		in := sort.Search(len(keys), func(i int) bool { return bytes.Compare(keys[i].key, x.all[n].UpTo) > 0 })
		if err := x.Read(f, uint64(n), func(all Records) error { return findIn(all, keys[:in], found) }); err != nil {
			return err
		}
		keys = keys[in:]
	}
	return nil
}

// findIn calls found with those keys, of keys in order, of which a data block has a record.
func findIn(all Records, keys []sampledKey, found func(sampledKey)) error {
	return all(func(key []byte, _ Record) bool {
		for len(keys) > 0 {
			at := bytes.Compare(keys[0].key, key)
			if at > 0 {
				break
			}
			if at == 0 {
				found(keys[0])
			}
			keys = keys[1:]
		}
		return len(keys) > 0
	})
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
