package rocksfile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/region"
	"getio/tree/lsm"
)

// Catalog holds the tables of a tree.
type Catalog struct{ *catalog.Catalog[*table] }

// ReadCatalog reads the tails of the given tables in parallel.
func ReadCatalog(ctx context.Context, refs []catalog.Ref) (*Catalog, error) {
	c, err := catalog.New(ctx, refs, readTable, sumShape)
	return &Catalog{c}, err
}

// Live returns the region maps of a database whose set of tables changes.
func Live() *region.Live { return catalog.Live(readTable) }

// AllFiltered reports whether every table has a filter that Gets can consult.
func (c *Catalog) AllFiltered() bool {
	return !slices.ContainsFunc(c.Tables, func(t *table) bool { return t.Regions.Filter == (region.Extent{}) })
}

// sumShape sums the shape of the tree. RocksDB searches every table of L0 that may hold a
// key, newest first (db/version_set.cc, FilePicker).
func sumShape(c *catalog.Catalog[*table]) *lsm.Shape {
	shape := lsm.NewFilteredShape(c.Levels(func(a, b *catalog.Ref) int { return cmp.Compare(a.LargestSeq, b.LargestSeq) }))
	shape.FiltersFirst, shape.WorstCaseReads = true, worstCase(c.Tables)
	return shape
}

// worstCase returns the reads of a Get with an empty cache and a key in the last sorted
// run. In each run above, the Get reads the filter, which excludes the table, or index and
// data if there is no filter. In the last run, it reads all of them.
func worstCase(tables []*table) (reads int64) {
	var runs, filter, probe [lsm.NumLevels]int64
	last := -1
	for _, t := range tables {
		l := t.Ref.Level
		if l == 0 {
			runs[l]++
		} else {
			runs[l] = 1
		}
		filter[l], probe[l] = max(filter[l], t.filterReads()), max(probe[l], t.probeReads())
		last = max(last, l)
	}
	for l, n := range runs {
		each := filter[l]
		if each == 0 {
			each = probe[l]
		}
		if reads += n * each; l == last && filter[l] > 0 {
			reads += probe[l]
		}
	}
	return reads
}

// filterReads returns the number of blocks read to consult the table's filter.
func (t *table) filterReads() int64 {
	switch {
	case t.Regions.Filter == (region.Extent{}):
		return 0
	case t.Regions.FilterPartitions == (region.Extent{}):
		return 1
	}
	return 2
}

// probeReads returns the number of blocks read to find a record.
func (t *table) probeReads() int64 {
	if t.twoLevel() {
		return 3
	}
	return 2
}

// LevelProperties sums the tables' properties per level.
func (c *Catalog) LevelProperties() [lsm.NumLevels]engine.LevelProperties {
	return c.Catalog.LevelProperties(func(l *engine.LevelProperties, t *table) {
		p := &t.props
		l.DataSize += p.dataSize
		l.DataBlocks += p.dataBlocks
		l.IndexSize += p.indexSize
		l.IndexBlocks += 1 + p.indexPartitions
		l.TopIndexSize += p.topIndex
		l.FilterSize += p.filterSize
		l.RawKeySize += p.rawKey
		l.RawValueSize += p.rawValue
		l.Deletes += p.deletes - p.rangeDeletes
		l.RangeDeletes += p.rangeDeletes
		l.Merges += p.merges
		l.Sets += p.entries - p.deletes - p.merges
	})
}

// Format implements catalog.Table.
func (t *table) Format() string { return fmt.Sprintf("RocksDB %d", t.footer.format) }

// DataBlocks implements catalog.Table.
func (t *table) DataBlocks() uint64 { return t.props.dataBlocks }

// Records implements catalog.Table.
func (t *table) Records() (n uint64, known bool) { return t.props.entries - t.props.rangeDeletes, true }

// Open implements catalog.Table.
func (t *table) Open() (catalog.File, error) { return catalog.OpenFile(t.Ref) }

// EntryBytes implements catalog.Table: an extent, a key, and a count of records.
func (t *table) EntryBytes() int64 { return 80 }

// dataIndex is a table's index, for sampling keys.
type dataIndex struct {
	*catalog.BlockList[indexed]
	table     *table
	unpacking *dictionary // of data blocks
}

// ReadIndex implements catalog.Table.
func (t *table) ReadIndex(f catalog.File, keep bool) (catalog.Index, error) {
	x := &dataIndex{table: t, unpacking: none}
	if t.dictionary != (region.Extent{}) {
		content, err := t.footer.readBlock(f, t.dictionary, none)
		if err != nil {
			return nil, err
		}
		x.unpacking = newDictionary(content)
	}
	var err error
	x.BlockList, err = catalog.NewBlockList(f, len(t.indexes), keep, func(f catalog.File, i int) ([]indexed, error) {
		return t.readIndex(f, t.indexes[i])
	})
	return x, err
}

// Read implements catalog.Index.
func (x *dataIndex) Read(f catalog.File, n uint64, use func(catalog.Records) error) error {
	b, err := x.At(f, n)
	if err != nil {
		return err
	}
	block, err := x.table.footer.readBlock(f, b.extent, x.unpacking)
	if err != nil {
		return err
	}
	return use(catalog.Entries(block, userKey))
}

// Start implements catalog.Index: a key just behind the separator of the block before.
func (x *dataIndex) Start(f catalog.File, n uint64) ([]byte, error) {
	before, err := x.At(f, n-1)
	return append(bytes.Clone(before.upTo), 0), err
}
