package catalog

import (
	"bytes"
	"sort"

	"getio/tree/lsm"
)

// divided is a table and the number of ranges that its part of the key space is divided
// into: one for each data block, or only one.
type divided struct {
	level      int
	smallest   []byte
	dataBlocks uint64
	ranges     uint64
}

// ranges divides the key space where the data blocks of the largest level begin. That
// level is never L0, whose tables overlap.
type ranges struct {
	smallest [][]byte // of the level's tables, in key order
	tables   []int    // indexes of these tables in the list
	upTo     []uint64 // upTo[i] ranges begin in tables[0..i]
}

// newRanges divides the key space of a list of tables.
func newRanges(list []divided) (r ranges) {
	var blocks [lsm.NumLevels]uint64
	for _, t := range list {
		blocks[t.level] += t.dataBlocks
	}
	level := 0
	for l := 1; l < lsm.NumLevels; l++ {
		if blocks[l] > 0 && (level == 0 || blocks[l] > blocks[level]) {
			level = l
		}
	}
	if level == 0 {
		return ranges{}
	}
	for i, t := range list {
		if t.level == level && t.dataBlocks > 0 {
			r.tables = append(r.tables, i)
		}
	}
	sort.Slice(r.tables, func(i, j int) bool { return bytes.Compare(list[r.tables[i]].smallest, list[r.tables[j]].smallest) < 0 })
	sum := uint64(0)
	for _, i := range r.tables {
		sum += list[i].ranges
		r.upTo = append(r.upTo, sum)
		r.smallest = append(r.smallest, list[i].smallest)
	}
	return r
}

// count is the number of ranges, at least one.
func (r *ranges) count() uint64 {
	if len(r.upTo) == 0 {
		return 1
	}
	return r.upTo[len(r.upTo)-1]
}

// get returns the bounds of range n: first is in it, last is not, and nil is no bound.
// start returns where a data block of a table begins; table is an index of the list.
func (r *ranges) get(n uint64, start func(table int, block uint64) ([]byte, error)) (first, last []byte, err error) {
	if n > 0 {
		if first, err = r.start(n, start); err != nil {
			return nil, nil, err
		}
	}
	if n+1 < r.count() {
		last, err = r.start(n+1, start)
	}
	return first, last, err
}

func (r *ranges) start(n uint64, start func(table int, block uint64) ([]byte, error)) ([]byte, error) {
	at := sort.Search(len(r.upTo), func(i int) bool { return r.upTo[i] > n })
	if at > 0 {
		n -= r.upTo[at-1]
	}
	if n == 0 {
		return r.smallest[at], nil
	}
	return start(r.tables[at], n)
}
