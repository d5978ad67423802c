package catalog

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/filelimit"
	"getio/engine/lsm"
)

// fewestSampled is the number of data blocks that are read of every sampled table that has as many.
const fewestSampled = 8

// mostSampled is about how many tables are sampled at most, if tables record how many records they have. Of
// each, the index is read too.
const mostSampled = 1000

func (c *Catalog[T]) SampleBlocks(ctx context.Context, most int64, use func(file uint64, blocks []engine.DataBlock)) error {
	tables, blocks := c.sampled()
	share := min(float64(most)/float64(max(blocks, 1)), 1)
	var one sync.Mutex
	return c.eachOf(ctx, tables, func(i int) error {
		blocks, err := sampleTable(tables[i], share)
		if err != nil {
			return err
		}
		one.Lock()
		defer one.Unlock()
		use(tables[i].tail().Ref.File, blocks)
		return nil
	})
}

// eachOf calls read with the place of each of some tables, several at a time.
func (*Catalog[T]) eachOf(ctx context.Context, tables []T, read func(i int) error) error {
	return filelimit.Each(ctx, len(tables), func(i int) error {
		err := read(i)
		if err != nil {
			path := tables[i].tail().Ref.Path
			err = failure.Inspect(filepath.Dir(path), fmt.Errorf("table %s: %w", path, err))
		}
		return err
	})
}

// sampled returns the tables that are sampled, some of each sorted run, and the number of their data blocks.
// Virtual tables, which share a file with others, are left out.
func (c *Catalog[T]) sampled() (tables []T, blocks uint64) {
	var own []T
	known := true
	for _, t := range c.Tables {
		if t.tail().Ref.Virtual {
			continue
		}
		_, recorded := t.Records()
		known = known && recorded
		own = append(own, t)
	}
	step := 1
	if known {
		step = max((len(own)+mostSampled-1)/mostSampled, 1)
	}
	runs, before := c.runs(), map[lsm.SortedRun]int{}
	for _, t := range own {
		run := runs[refOf(t)]
		if before[run]%step == 0 {
			tables = append(tables, t)
			blocks += t.DataBlocks()
		}
		before[run]++
	}
	return tables, blocks
}

// sampleTable reads a share of a table's data blocks, evenly spaced.
func sampleTable(t Table, share float64) (list []engine.DataBlock, err error) {
	err = inIndex(t, func(f File, index *Index) error {
		all := index.Len()
		n := min(max(uint64(share*float64(all)), fewestSampled), all)
		for i := range n {
			b, err := index.Measure(f, i*all/n)
			if err != nil {
				return err
			}
			list = append(list, b)
		}
		return nil
	})
	return list, err
}
