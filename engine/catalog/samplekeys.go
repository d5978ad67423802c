package catalog

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"getio/engine/lsm"
)

// SampleKeys implements engine.TreeSampler. It takes a few records of every n-th data block of the sampled tables. Each
// stands for its share of the block's records.
func (c *Catalog[T]) SampleKeys(ctx context.Context, most int64, progress func(done, all int)) (*lsm.KeySample, error) {
	k := &keySample{runs: c.runs(), allOfL0: c.SearchesAllOfL0}
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
		report()
		return nil
	})
	if err != nil {
		return nil, err
	}
	k.merge()
	err = c.eachOf(ctx, c.Tables, func(i int) error {
		err := k.lookUp(c.Tables[i])
		k.one.Lock()
		defer k.one.Unlock()
		report()
		return err
	})
	if err != nil {
		return nil, err
	}
	return k.sum(), nil
}

// keySample looks drawn keys up in all tables.
type keySample struct {
	runs    map[tableRef]lsm.SortedRun
	allOfL0 bool
	one     sync.Mutex   // protects what follows
	done    int          // tables that were drawn from or searched
	keys    []sampledKey // once all are drawn, in order and each once
}

// sampledKey is a key of which records were drawn.
type sampledKey struct {
	key   []byte
	drawn []lsm.SampledRecord
	all   []keyRecord // those found
}

// keyRecord is a record of a key.
type keyRecord struct {
	run  lsm.SortedRun
	seq  uint64
	does Does
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
func (k *keySample) draw(ctx context.Context, t Table, first, step uint64, each int) (drawn []sampledKey, err error) {
	if first >= t.DataBlocks() {
		return nil, nil
	}
	file, run := t.tail().Ref.File, k.runs[refOf(t)]
	err = inIndex(t, func(f File, index *Index) error {
		random := rand.New(rand.NewPCG(file, first))
		for n := first; n < index.Len(); n += step {
			d, err := index.Read(f, n)
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			keys, records, err := d.draw(random, each)
			if err != nil {
				return err
			}
			for _, key := range keys {
				drawn = append(drawn, sampledKey{key: key, drawn: []lsm.SampledRecord{{File: file, Run: run, Records: float64(records)}}})
			}
		}
		return nil
	})
	return drawn, err
}

// draw draws n of a data block's records, with replacement. It returns their keys, and how many records the block
// has.
func (d Data) draw(random *rand.Rand, n int) (keys [][]byte, records uint64, err error) {
	keys = make([][]byte, n)
	for r, err := range d.Records {
		if err != nil {
			return nil, 0, err
		}
		records++
		for i := range keys {
			if random.Uint64N(records) == 0 { // each record of the block is as likely to be the last one taken
				keys[i] = bytes.Clone(r.Key)
			}
		}
	}
	return keys, records, nil
}

// merge puts the keys in order, and draws of one key together.
func (k *keySample) merge() {
	slices.SortFunc(k.keys, func(a, b sampledKey) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.drawn[0].File, b.drawn[0].File))
	})
	merged := k.keys[:0]
	for _, s := range k.keys {
		if last := len(merged) - 1; last >= 0 && bytes.Equal(merged[last].key, s.key) {
			merged[last].drawn = append(merged[last].drawn, s.drawn...)
		} else {
			merged = append(merged, s)
		}
	}
	k.keys = merged
}

// lookUp looks up in a table the keys that lie within its bounds.
func (k *keySample) lookUp(t Table) error {
	ref := &t.tail().Ref
	from, _ := slices.BinarySearchFunc(k.keys, ref.Smallest, func(s sampledKey, key lsm.Key) int { return bytes.Compare(s.key, key) })
	var keys [][]byte
	for _, s := range k.keys[from:] {
		if bytes.Compare(s.key, ref.Largest) > 0 {
			break
		}
		keys = append(keys, s.key)
	}
	if len(keys) == 0 {
		return nil
	}
	found := make([][]keyRecord, len(keys))
	note := func(i int, seq uint64, does Does) {
		found[i] = append(found[i], keyRecord{k.runs[refOf(t)], seq, does})
	}
	err := inIndex(t, func(f File, index *Index) error {
		return cmp.Or(t.DeletedRanges(f, keys, note), index.History(f, keys, note))
	})
	k.one.Lock()
	defer k.one.Unlock()
	for i, records := range found {
		k.keys[from+i].all = append(k.keys[from+i].all, records...)
	}
	return err
}

// sum sums what Gets of the keys read.
func (k *keySample) sum() *lsm.KeySample {
	runs := slices.SortedFunc(maps.Values(k.runs), lsm.SortedRun.Compare)
	runs = slices.Compact(runs)
	sample := &lsm.KeySample{}
	for i := range k.keys {
		s := &k.keys[i]
		run, older, live := s.get(runs, k.allOfL0)
		for _, d := range s.drawn {
			if d.OfKey = float64(max(s.records(d.Run), 1)); live && d.Run == run {
				d.Live, d.Older = true, older
			}
			sample.Add(d)
		}
	}
	return sample
}

// get follows a Get of the key through the runs, the newest first. It returns where the key's newest record is, if that
// does not delete it, and the runs that are visited from there on.
func (s *sampledKey) get(runs []lsm.SortedRun, allOfL0 bool) (run lsm.SortedRun, older []lsm.OlderVisit, live bool) {
	slices.SortFunc(s.all, func(a, b keyRecord) int { // a deletion deletes none of its own sequence number
		return cmp.Or(a.run.Compare(b.run), cmp.Compare(b.seq, a.seq), cmp.Compare(b.does, a.does))
	})
	found, settled, rest := false, false, s.all
	for _, in := range runs {
		if settled && !(allOfL0 && in.Level == 0) {
			break
		}
		visit, further := lsm.OlderVisit{Run: in}, found
		for ; len(rest) > 0 && rest[0].run == in; rest = rest[1:] {
			does := rest[0].does
			visit.Finds = visit.Finds || does != DeletesRange
			switch deletes := does == Deletes || does == DeletesRange; {
			case settled:
			case deletes && !found:
				return run, nil, false
			case !found:
				run, found, settled = in, true, does == Sets
			default:
				settled = deletes || does == Sets
			}
		}
		if further {
			older = append(older, visit)
		}
	}
	return run, older, found
}

// records returns how many records of the key a run has.
func (s *sampledKey) records(run lsm.SortedRun) (n int) {
	for _, r := range s.all {
		if r.run == run && r.does != DeletesRange {
			n++
		}
	}
	return n
}
