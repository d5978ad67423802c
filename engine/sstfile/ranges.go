package sstfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sort"

	"github.com/cockroachdb/pebble/v2/sstable/block"

	"getio/engine/failure"
	"getio/lsm"
)

// ranges divides the key space at the first keys of the data blocks of the level
// that has most of them. A virtual table, which has a part of its file only, is one
// range.
type ranges struct {
	tables []int    // of the level, in key order, by their places in the catalog
	upTo   []uint64 // upTo[i] ranges begin in tables[0..i]
}

func newRanges(c *Catalog) (r ranges) {
	var blocks [lsm.NumLevels]uint64
	for _, t := range c.tables {
		blocks[t.ref.Level] += t.props.NumDataBlocks
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
		if t.ref.Level == level && t.props.NumDataBlocks > 0 {
			r.tables = append(r.tables, i)
		}
	}
	sort.Slice(r.tables, func(i, j int) bool {
		return string(c.tables[r.tables[i]].ref.Smallest) < string(c.tables[r.tables[j]].ref.Smallest)
	})
	sum := uint64(0)
	for _, i := range r.tables {
		if t := c.tables[i]; t.ref.Virtual {
			sum++
		} else {
			sum += t.props.NumDataBlocks
		}
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

// rangeStart is the first key of range n.
func (s *Sampler) rangeStart(n uint64) ([]byte, error) {
	r := &s.ranges
	at := sort.Search(len(r.upTo), func(i int) bool { return r.upTo[i] > n })
	block := n
	if at > 0 {
		block -= r.upTo[at-1]
	}
	t := s.catalog.tables[r.tables[at]]
	if block == 0 {
		return t.ref.Smallest, nil
	}
	key, err := s.firstKey(r.tables[at], block)
	if err != nil {
		return nil, failure.Read(filepath.Dir(t.ref.Path), fmt.Errorf("table %s cannot be sampled: %w", t.ref.Path, err))
	}
	return key, nil
}

// firstKey is the first user key in data block n of table i.
func (s *Sampler) firstKey(i int, n uint64) (key []byte, err error) {
	err = s.inTable(i, func(file *openTable) error {
		if n >= file.dataBlocks() {
			return fmt.Errorf("its properties tell of %d data blocks and its index names %d", file.props.NumDataBlocks, file.dataBlocks())
		}
		return file.inBlock(n, func(iter block.DataBlockIterator) error {
			kv := iter.First()
			if kv == nil {
				return fmt.Errorf("its data block %d is empty", n)
			}
			key = bytes.Clone(kv.K.UserKey)
			return nil
		})
	})
	return key, err
}
