package sstfile

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/sstable/block"

	"getio/engine/failure"
	"getio/engine/sampling"
)

// newRanges divides the key space. A virtual table, which has a part of its file only,
// is one range.
func newRanges(c *Catalog) sampling.Ranges {
	list := make([]sampling.Table, len(c.tables))
	for i, t := range c.tables {
		list[i] = sampling.Table{Level: t.ref.Level, Smallest: t.ref.Smallest, DataBlocks: t.props.NumDataBlocks, Ranges: t.props.NumDataBlocks}
		if t.ref.Virtual {
			list[i].Ranges = 1
		}
	}
	return sampling.NewRanges(list)
}

// Ranges implements engine.Sampler.
func (s *Sampler) Ranges() uint64 { return s.ranges.Count() }

// Range implements engine.Sampler.
func (s *Sampler) Range(n uint64) (first, last []byte, err error) {
	return s.ranges.Range(n, func(table int, n uint64) ([]byte, error) {
		key, err := s.firstKey(table, n)
		if err != nil {
			path := s.catalog.tables[table].ref.Path
			return nil, failure.Read(filepath.Dir(path), fmt.Errorf("table %s cannot be sampled: %w", path, err))
		}
		return key, nil
	})
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
