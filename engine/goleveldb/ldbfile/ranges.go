package ldbfile

import (
	"bytes"
	"fmt"

	"getio/engine/sampling"
)

func newRanges(c *Catalog) sampling.Ranges {
	list := make([]sampling.Table, len(c.tables))
	for i, t := range c.tables {
		blocks := uint64(t.dataBlocks)
		list[i] = sampling.Table{Level: t.ref.Level, Smallest: t.ref.Smallest, DataBlocks: blocks, Ranges: blocks}
	}
	return sampling.NewRanges(list)
}

// Ranges implements engine.Sampler.
func (s *Sampler) Ranges() uint64 { return s.ranges.Count() }

// Range implements engine.Sampler.
func (s *Sampler) Range(n uint64) (first, last []byte, err error) {
	return s.ranges.Range(n, s.blockStart)
}

// blockStart is a key at which data block n of a table begins: the one behind the
// index's separator of the block before, which none of that block's keys is behind.
func (s *Sampler) blockStart(table int, n uint64) (key []byte, err error) {
	err = s.inTable(table, func(t *openedTable) error {
		if n > uint64(len(t.blocks)) {
			return fmt.Errorf("it has %d data blocks, and had %d when it was looked at", len(t.blocks), t.dataBlocks)
		}
		key = append(bytes.Clone(t.blocks[n-1].upTo), 0)
		return nil
	})
	return key, err
}
