// Package sampling is what samplers of all engines share.
package sampling

import (
	"bytes"
	"errors"
	"math/bits"
	"sort"

	"getio/tree/lsm"
)

// ErrNoLiveRecord is the error of a database from which no key can be drawn.
var ErrNoLiveRecord = errors.New("the tables hold (almost) no records that set a key: name keys with --keys-file")

// Below maps a random number to [0,n).
func Below(r, n uint64) uint64 {
	hi, _ := bits.Mul64(r, n)
	return hi
}

// Table is a table of a tree, and into how many ranges it divides its part of the key
// space: one for each data block, or only one.
type Table struct {
	Level      int
	Smallest   []byte
	DataBlocks uint64
	Ranges     uint64
}

// Ranges divides the key space at the beginnings of the data blocks of the level that
// has most of them. Tables of L0 lie on each other, so that it is none.
type Ranges struct {
	smallest [][]byte // of the level's tables, in key order
	tables   []int    // these tables, by their places in the list
	upTo     []uint64 // upTo[i] ranges begin in tables[0..i]
}

// NewRanges divides the key space of a list of tables.
func NewRanges(list []Table) (r Ranges) {
	var blocks [lsm.NumLevels]uint64
	for _, t := range list {
		blocks[t.Level] += t.DataBlocks
	}
	level := 0
	for l := 1; l < lsm.NumLevels; l++ {
		if blocks[l] > 0 && (level == 0 || blocks[l] > blocks[level]) {
			level = l
		}
	}
	if level == 0 {
		return Ranges{}
	}
	for i, t := range list {
		if t.Level == level && t.DataBlocks > 0 {
			r.tables = append(r.tables, i)
		}
	}
	sort.Slice(r.tables, func(i, j int) bool { return bytes.Compare(list[r.tables[i]].Smallest, list[r.tables[j]].Smallest) < 0 })
	sum := uint64(0)
	for _, i := range r.tables {
		sum += list[i].Ranges
		r.upTo = append(r.upTo, sum)
		r.smallest = append(r.smallest, list[i].Smallest)
	}
	return r
}

// Count is the number of ranges, at least one.
func (r *Ranges) Count() uint64 {
	if len(r.upTo) == 0 {
		return 1
	}
	return r.upTo[len(r.upTo)-1]
}

// Range is range n: from first up to, not including, last; nil bounds nothing. start
// tells where data block n of a table begins, by the table's place in the list.
func (r *Ranges) Range(n uint64, start func(table int, block uint64) ([]byte, error)) (first, last []byte, err error) {
	if n > 0 {
		if first, err = r.start(n, start); err != nil {
			return nil, nil, err
		}
	}
	if n+1 < r.Count() {
		last, err = r.start(n+1, start)
	}
	return first, last, err
}

func (r *Ranges) start(n uint64, start func(table int, block uint64) ([]byte, error)) ([]byte, error) {
	at := sort.Search(len(r.upTo), func(i int) bool { return r.upTo[i] > n })
	if at > 0 {
		n -= r.upTo[at-1]
	}
	if n == 0 {
		return r.smallest[at], nil
	}
	return start(r.tables[at], n)
}
