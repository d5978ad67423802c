package catalog

import (
	"context"
	"fmt"
	"sync"

	"getio/engine"
	"getio/engine/filelimit"
	"getio/tree/blockformat"
)

// fewestSampled is the number of data blocks that are read of every table that has as many.
const fewestSampled = 8

// SampleBlocks implements engine.BlockSampler for tables whose index is a BlockIndex.
func SampleBlocks[T Table](ctx context.Context, c *Catalog[T], most int64, use func(file uint64, blocks []engine.DataBlock)) error {
	share := min(float64(most)/float64(max(c.shape.Total().DataBlocks, 1)), 1)
	var one sync.Mutex
	return filelimit.Each(ctx, len(c.Tables), func(i int) error {
		t := c.Tables[i]
		blocks, err := sampleTable(t, share)
		if err != nil {
			return err
		}
		one.Lock()
		defer one.Unlock()
		use(t.tail().Ref.File, blocks)
		return nil
	})
}

// sampleTable reads a share of a table's data blocks, evenly spaced.
func sampleTable(t Table, share float64) (list []engine.DataBlock, err error) {
	err = inIndex(t, func(f File, index *BlockIndex) error {
		all := index.Len()
		n := min(max(uint64(share*float64(all)), fewestSampled), all)
		for i := range n {
			b, err := index.measure(f, i*all/n)
			if err != nil {
				return err
			}
			list = append(list, b)
		}
		return nil
	})
	return list, err
}

// measure reads data block n.
func (x *BlockIndex) measure(f File, n uint64) (b engine.DataBlock, err error) {
	named, err := x.At(f, n)
	if err != nil {
		return b, err
	}
	block, err := x.Block(f, named.Extent)
	if err != nil {
		return b, err
	}
	b.Bytes, b.Stored = int64(len(block)), named.Extent.End-named.Extent.Off
	err = blockformat.EachEntry(block, func(key, value []byte) bool {
		b.Records++
		b.RawBytes += int64(len(key) + len(value))
		return true
	})
	if err != nil {
		return b, fmt.Errorf("its data block %d: %w", n, err)
	}
	return b, nil
}
