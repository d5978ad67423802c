package rocksfile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/catalog"
	"getio/engine/lsm"
	"getio/engine/region"
)

// Catalog holds the tables of a tree and the blob files to which they refer.
type Catalog struct {
	*catalog.Catalog[*table]
	blobRegions map[uint64]*region.Map // by file number
	files       []string
}

// Filtering says which filters Gets consult.
type Filtering struct {
	None            bool
	WholeKeys       bool   // those of whole keys
	PrefixExtractor string // or those of the prefixes that it makes, "" if there is none
	ExceptLast      bool   // none in the last level
}

// apply notes how Gets use a table's filter, if it has one, in a tree with this last level (RocksDB:
// table/block_based/block_based_table_reader.cc, FullFilterKeyMayMatch).
func (f *Filtering) apply(t *table, last int) {
	whole := f.WholeKeys && !t.props.noWholeKeys
	t.prefixFilter = !whole && !t.props.noPrefixes && f.PrefixExtractor != "" && f.PrefixExtractor == t.props.prefixExtractor
	t.unfiltered = f.None || f.ExceptLast && t.Ref.Level > 0 && t.Ref.Level == last || !whole && !t.prefixFilter
}

// ReadCatalog reads the tails of the given tables in parallel.
func ReadCatalog(ctx context.Context, refs []catalog.Ref, blobs Blobs, filtering Filtering) (*Catalog, error) {
	if err := blobs.verify(); err != nil {
		return nil, err
	}
	last := 0
	for _, ref := range refs {
		last = max(last, ref.Level)
	}
	tables, err := catalog.New(ctx, refs, func(ref catalog.Ref) (*table, error) {
		t, err := readTable(ref)
		if err == nil {
			filtering.apply(t, last)
		}
		return t, err
	}, sumShape)
	if err != nil {
		return nil, err
	}
	tables.Shape().AddBlobs(int64(len(blobs)), blobs.bytes())
	c := &Catalog{Catalog: tables, blobRegions: map[uint64]*region.Map{}, files: tables.Paths()}
	for _, b := range blobs {
		c.blobRegions[b.File] = b.regions()
		c.files = append(c.files, b.Path)
	}
	return c, nil
}

// Files lists the table files and the blob files.
func (c *Catalog) Files() []string { return c.files }

// FileRegions returns the region map of a table file or blob file, with an error if the catalog has no
// such file.
func (c *Catalog) FileRegions(number uint64, path string) (*region.Map, error) {
	if m := c.blobRegions[number]; m != nil {
		return m, nil
	}
	return c.TableRegions(number, path)
}

// Live returns the region maps of a database whose set of tables changes.
func Live() *region.Live { return catalog.Live(readTable) }

// AllFiltered reports whether every table has a filter that every Get consults. One of prefixes is not asked for keys
// that have none.
func (c *Catalog) AllFiltered() bool {
	return !slices.ContainsFunc(c.Tables, func(t *table) bool { return t.unfiltered || t.prefixFilter || t.Regions.Filter == (region.Extent{}) })
}

// Formats lists the formats of the tables.
func (c *Catalog) Formats() (formats []int) {
	for _, t := range c.Tables {
		formats = append(formats, int(t.footer.format))
	}
	return formats
}

// sumShape sums the shape of the tree. RocksDB searches every table of L0 that may hold a
// key, newest first (db/version_set.cc, FilePicker).
func sumShape(c *catalog.Catalog[*table]) *lsm.Shape {
	shape := lsm.NewFilteredShape(c.Levels(func(a, b *catalog.Ref) int { return cmp.Compare(a.LargestSeq, b.LargestSeq) }))
	shape.ReadFiltersFirst()
	return shape
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

func (t *table) Format() string                  { return fmt.Sprintf("RocksDB %d", t.footer.format) }
func (t *table) DataBlocks() uint64              { return t.props.dataBlocks }
func (t *table) Records() (n uint64, known bool) { return t.props.entries - t.props.rangeDeletes, true }

func (t *table) DeletedRanges(f catalog.File, keys [][]byte, found catalog.Found) error {
	if t.ranges == (region.Extent{}) {
		return nil
	}
	block, err := t.readBlock(f, t.ranges, none)
	if err != nil {
		return err
	}
	for r, err := range blockformat.All(block) {
		if err != nil {
			return err
		}
		first, seq := r.Key[:max(len(r.Key)-blockformat.KeyTrailerLen, 0)], blockformat.Sequence(r.Key)
		i, _ := slices.BinarySearchFunc(keys, first, bytes.Compare)
		for ; i < len(keys) && bytes.Compare(keys[i], r.Value) < 0; i++ {
			found(i, seq, catalog.DeletesRange)
		}
	}
	return nil
}

func (t *table) ReadIndex(f catalog.File, keep bool) (*catalog.Index, error) {
	unpacking := none
	if t.dictionary != (region.Extent{}) {
		content, err := t.readBlock(f, t.dictionary, none)
		if err != nil {
			return nil, err
		}
		unpacking = newDictionary(content)
	}
	index := func(f catalog.File, i int) ([]catalog.NamedBlock, error) { return t.readIndex(f, t.indexes[i]) }
	return catalog.NewIndex(f, len(t.indexes), keep, index, func(f catalog.File, e region.Extent) (catalog.Data, error) {
		block, err := t.readBlock(f, e, unpacking)
		return catalog.DataOf(block, e.Off, userKey), err
	})
}
