package ldbfile

import (
	"bytes"
	"cmp"
	"context"

	"getio/engine/catalog"
	"getio/engine/region"
	"getio/tree/lsm"
)

// Catalog holds the tables of a database.
type Catalog = catalog.Catalog[*table]

// ReadCatalog reads the tails of the given tables in parallel. LevelDB searches every table
// of L0 that may hold a key, newest first (goleveldb: leveldb/version.go, walkOverlapping).
func ReadCatalog(ctx context.Context, refs []catalog.Ref) (*Catalog, error) {
	return catalog.New(ctx, refs, readTable, func(c *Catalog) *lsm.Shape {
		return lsm.NewFilteredShape(c.Levels(func(a, b *catalog.Ref) int { return cmp.Compare(a.File, b.File) }))
	})
}

// Live returns the region maps of a database whose set of tables changes.
func Live() *region.Live { return catalog.Live(readTable) }

// Format implements catalog.Table: LevelDB has one.
func (t *table) Format() string { return "LevelDB" }

// DataBlocks implements catalog.Table.
func (t *table) DataBlocks() uint64 { return uint64(t.dataBlocks) }

// Records implements catalog.Table: LevelDB does not record how many records a table has.
func (t *table) Records() (n uint64, known bool) { return 0, false }

// Open implements catalog.Table.
func (t *table) Open() (catalog.File, error) { return catalog.OpenFile(t.Ref) }

// EntryBytes implements catalog.Table: an extent, a key, and a count of records.
func (t *table) EntryBytes() int64 { return 80 }

// index is a table's index, for drawing keys.
type index struct{ *catalog.BlockList[dataBlock] }

// ReadIndex implements catalog.Table.
func (t *table) ReadIndex(f catalog.File, keep bool) (catalog.Index, error) {
	list, err := catalog.NewBlockList(f, 1, keep, func(f catalog.File, _ int) ([]dataBlock, error) {
		blocks, _, err := t.readIndex(f)
		return blocks, err
	})
	return &index{list}, err
}

// Read implements catalog.Index.
func (x *index) Read(f catalog.File, n uint64, use func(catalog.Records) error) error {
	b, err := x.At(f, n)
	if err != nil {
		return err
	}
	block, err := readBlock(f, b.extent)
	if err != nil {
		return err
	}
	return use(catalog.Entries(block, userKey))
}

// Start implements catalog.Index: a key just behind the separator of the block before.
func (x *index) Start(f catalog.File, n uint64) ([]byte, error) {
	before, err := x.At(f, n-1)
	return append(bytes.Clone(before.upTo), 0), err
}
