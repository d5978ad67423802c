package catalog

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"

	"getio/engine/filelimit"
)

// Log is what the newest record of each key in the write-ahead log does, Sets or Deletes.
type Log map[string]Does

// set returns the keys that the log sets, in order.
func (l Log) set() (keys [][]byte) {
	for _, key := range slices.Sorted(maps.Keys(l)) {
		if l[key] == Sets {
			keys = append(keys, []byte(key))
		}
	}
	return keys
}

// outdated reports for each record whether a newer table, or the log, has a record of its key. If the log deletes
// the key, that does not count: a lookup finds it out.
func (s *Sampler) outdated(ctx context.Context, records []record) ([]bool, error) {
	order := make([]int, len(records)) // in key order
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return bytes.Compare(records[i].key, records[j].key) })
	newer := make([][]int, len(s.tables)) // by table, the records of older tables that it may have a newer one for
	for u, t := range s.tables {
		if t.DataBlocks() == 0 {
			continue // it only deletes ranges
		}
		ref := &t.tail().Ref
		from := sort.Search(len(order), func(i int) bool { return bytes.Compare(records[order[i]].key, ref.Smallest) >= 0 })
		for _, i := range order[from:] {
			if bytes.Compare(records[i].key, ref.Largest) > 0 {
				break
			}
			if of := records[i].table; of < len(s.tables) && ref.newer(&s.tables[of].tail().Ref) {
				newer[u] = append(newer[u], i)
			}
		}
	}
	outdated := make([]bool, len(records))
	for i := range records {
		if records[i].table < len(s.tables) {
			_, outdated[i] = slices.BinarySearchFunc(s.log, records[i].key, bytes.Compare)
		}
	}
	var searched []int // most tables have nothing to look up in late rounds
	for u, list := range newer {
		if len(list) > 0 {
			searched = append(searched, u)
		}
	}
	found := make([][]int, len(s.tables))
	err := filelimit.Each(ctx, len(searched), func(n int) error {
		u := searched[n]
		keys := make([][]byte, len(newer[u]))
		for k, i := range newer[u] {
			keys[k] = records[i].key
		}
		return s.find(u, keys, func(k int) { found[u] = append(found[u], newer[u][k]) })
	})
	if err != nil {
		return nil, err
	}
	for _, list := range found {
		for _, i := range list {
			outdated[i] = true
		}
	}
	return outdated, nil
}

// find calls found with the place of each key that a table has a record of. Keys are in order.
func (s *Sampler) find(table int, keys [][]byte, found func(i int)) error {
	t := s.tables[table]
	find := func(f File, x *Index) error {
		return x.History(f, keys, func(i int, _ uint64, _ Does) { found(i) })
	}
	if t.remember {
		return s.inTable(table, func(o *openTable) error { return find(o.file, o.index) })
	}
	return t.tail().unsampled(inIndex(t.Table, find))
}

// newer reports whether a table's records of a key are newer than those that another table has of it. In
// L0 the greater sequence number decides, and the file number where the format does not list any. Below it, a
// key with several records may begin in one table and go on in the next one.
func (r *Ref) newer(than *Ref) bool {
	switch {
	case r.Level != than.Level:
		return r.Level < than.Level
	case r.Level > 0:
		return cmp.Or(bytes.Compare(r.Smallest, than.Smallest), bytes.Compare(r.Largest, than.Largest), cmp.Compare(than.LargestSeq, r.LargestSeq)) < 0
	}
	return cmp.Or(cmp.Compare(r.LargestSeq, than.LargestSeq), cmp.Compare(r.SmallestSeq, than.SmallestSeq), cmp.Compare(r.File, than.File)) > 0
}
