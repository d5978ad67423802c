package catalog

import (
	"bytes"
	"slices"
	"sort"
)

// divided is a table and the number of ranges that begin in it: one for each data block, or
// only one.
type divided struct {
	level             int
	smallest, largest []byte
	dataBlocks        uint64
	ranges            uint64
}

// ranges divides the key space wherever a data block of any table begins. So a range holds no more
// than one data block of each level, even where one level has many keys and the others have none.
//
// Ranges are numbered run by run. A run is tables that do not overlap: a level, or some tables of L0.
type ranges struct {
	list   []divided
	tables []int    // indexes in the list: by run, and in key order within each
	upTo   []uint64 // upTo[i] ranges begin in tables[0..i]
	runs   []int    // tables[runs[i]] is the first of run i
}

// newRanges divides the key space of a list of tables.
func newRanges(list []divided) ranges {
	r := ranges{list: list}
	for _, run := range runsOf(list) {
		r.runs = append(r.runs, len(r.tables))
		for _, i := range run {
			r.tables = append(r.tables, i)
			r.upTo = appendSum(r.upTo, list[i].ranges)
		}
	}
	return r
}

// runsOf returns the indexes of tables that have data blocks, as runs in key order.
func runsOf(list []divided) (runs [][]int) {
	var order []int
	for i := range list {
		if list[i].ranges > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return bytes.Compare(list[i].smallest, list[j].smallest) })
	follows := func(run []int, i int) bool {
		before := &list[run[len(run)-1]]
		if before.level != list[i].level {
			return false
		}
		return before.level > 0 || bytes.Compare(before.largest, list[i].smallest) < 0
	}
	for _, i := range order {
		at := slices.IndexFunc(runs, func(run []int) bool { return follows(run, i) })
		if at < 0 {
			at = len(runs)
			runs = append(runs, nil)
		}
		runs[at] = append(runs[at], i)
	}
	return runs
}

// count is the number of ranges, at least one.
func (r *ranges) count() uint64 {
	if len(r.upTo) == 0 {
		return 1
	}
	return r.upTo[len(r.upTo)-1]
}

// blockStart returns where data block n > 0 of a table begins; table is an index of the list.
type blockStart func(table int, n uint64) ([]byte, error)

// get returns the bounds of range n. The range includes first, but not last. A nil bound means that the
// range is unbounded on that side. If data blocks of several runs begin at the same key, only the range of the
// last run has keys.
func (r *ranges) get(n uint64, start blockStart) (first, last []byte, err error) {
	if len(r.tables) == 0 {
		return nil, nil, nil
	}
	at, n := locate(r.upTo, n)
	own := sort.Search(len(r.runs), func(i int) bool { return r.runs[i] > at }) - 1
	key, err := r.begins(at, n, start)
	if err != nil {
		return nil, nil, err
	}
	if n+1 < r.table(at).ranges {
		last, err = start(r.tables[at], n+1)
	} else if at+1 < r.end(own) {
		last = r.table(at + 1).smallest
	}
	lowest := n == 0 && at == r.runs[own]
	for other := range r.runs {
		if other == own || err != nil {
			continue
		}
		var next []byte
		if next, err = r.next(other, key, other > own, start); next != nil && (last == nil || bytes.Compare(next, last) < 0) {
			last = next
		}
		begins := bytes.Compare(r.table(r.runs[other]).smallest, key)
		lowest = lowest && (begins > 0 || begins == 0 && other > own)
	}
	if lowest {
		key = nil // keys before all tables are in the write-ahead log
	}
	return key, last, err
}

// next returns where the first data block of a run begins that is behind key, or at it if orAt is set;
// nil if none does.
func (r *ranges) next(run int, key []byte, orAt bool, start blockStart) (next []byte, err error) {
	behind := func(begin []byte) bool {
		order := bytes.Compare(begin, key)
		return order > 0 || order == 0 && orAt
	}
	from, end := r.runs[run], r.end(run)
	at := from + sort.Search(end-from, func(i int) bool { return behind(r.table(from + i).smallest) })
	if at < end {
		next = r.table(at).smallest
	}
	if at == from || bytes.Compare(r.table(at-1).largest, key) < 0 {
		return next, nil
	}
	low, high := uint64(1), r.table(at-1).ranges
	for low < high {
		middle := (low + high) / 2
		begin, err := start(r.tables[at-1], middle)
		if err != nil {
			return nil, err
		}
		if behind(begin) {
			next, high = begin, middle
		} else {
			low = middle + 1
		}
	}
	return next, nil
}

// starts calls each with the keys at which the data blocks of the fullest level begin, in key order and
// without the first. L0, whose tables overlap, does not count.
func (r *ranges) starts(start blockStart, each func(key []byte) error) error {
	from, end := r.fullest()
	for at := from; at < end; at++ {
		for n := range r.table(at).ranges {
			if at == from && n == 0 {
				continue
			}
			key, err := r.begins(at, n, start)
			if err == nil {
				err = each(key)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// fullest returns the bounds in r.tables of the level below L0 that has the most data blocks.
func (r *ranges) fullest() (from, end int) {
	most, level := uint64(0), 0
	for run, first := range r.runs {
		var blocks uint64
		for at := first; at < r.end(run); at++ {
			blocks += r.table(at).dataBlocks
		}
		l := r.table(first).level
		if l > 0 && (blocks > most || blocks == most && l < level) {
			from, end, most, level = first, r.end(run), blocks, l
		}
	}
	return from, end
}

func (r *ranges) table(at int) *divided { return &r.list[r.tables[at]] }

// end is behind the last table of a run.
func (r *ranges) end(run int) int {
	if run+1 < len(r.runs) {
		return r.runs[run+1]
	}
	return len(r.tables)
}

// begins returns where data block n of a table begins.
func (r *ranges) begins(at int, n uint64, start blockStart) ([]byte, error) {
	if n == 0 {
		return r.table(at).smallest, nil
	}
	return start(r.tables[at], n)
}
