package ldbfile

import (
	"bytes"
	"fmt"
	"sort"

	"getio/lsm"
)

// ranges divides the key space behind the data blocks of the level that has most
// of them.
type ranges struct {
	tables []int    // of the level, in key order, by their places in the catalog
	upTo   []uint64 // upTo[i] ranges begin in tables[0..i]
}

func newRanges(c *Catalog) (r ranges) {
	var blocks [lsm.NumLevels]int64
	for _, t := range c.tables {
		blocks[t.ref.Level] += t.dataBlocks
	}
	level := 0
	for l := 1; l < lsm.NumLevels; l++ { // tables of L0 lie on each other
		if blocks[l] > 0 && (level == 0 || blocks[l] > blocks[level]) {
			level = l
		}
	}
	if level == 0 {
		return ranges{}
	}
	for i, t := range c.tables {
		if t.ref.Level == level {
			r.tables = append(r.tables, i)
		}
	}
	sort.Slice(r.tables, func(i, j int) bool {
		return bytes.Compare(c.tables[r.tables[i]].ref.Smallest, c.tables[r.tables[j]].ref.Smallest) < 0
	})
	sum := uint64(0)
	for _, i := range r.tables {
		sum += uint64(c.tables[i].dataBlocks)
		r.upTo = append(r.upTo, sum)
	}
	return r
}

// Ranges implements engine.Sampler.
func (s *Sampler) Ranges() uint64 {
	if len(s.ranges.upTo) == 0 {
		return 1
	}
	return s.ranges.upTo[len(s.ranges.upTo)-1]
}

// Range implements engine.Sampler.
func (s *Sampler) Range(n uint64) (first, last []byte, err error) {
	if n > 0 {
		if first, err = s.rangeStart(n); err != nil {
			return nil, nil, err
		}
	}
	if n+1 < s.Ranges() {
		last, err = s.rangeStart(n + 1)
	}
	return first, last, err
}

// rangeStart is the first key of range n: a table's, or the one behind the index's
// separator of the data block before, which none of that block's keys is behind.
func (s *Sampler) rangeStart(n uint64) (key []byte, err error) {
	r := &s.ranges
	at := sort.Search(len(r.upTo), func(i int) bool { return r.upTo[i] > n })
	if at > 0 {
		n -= r.upTo[at-1]
	}
	table := r.tables[at]
	if n == 0 {
		return s.catalog.tables[table].ref.Smallest, nil
	}
	err = s.inTable(table, func(t *openedTable) error {
		if n > uint64(len(t.blocks)) {
			return fmt.Errorf("it has %d data blocks, and had %d when it was looked at", len(t.blocks), t.dataBlocks)
		}
		key = append(bytes.Clone(t.blocks[n-1].upTo), 0)
		return nil
	})
	return key, err
}
