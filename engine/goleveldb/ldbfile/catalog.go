package ldbfile

import (
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

// ReadIndex implements catalog.Table.
func (t *table) ReadIndex(f catalog.File, keep bool) (catalog.Index, error) {
	list, err := catalog.NewBlockList(f, 1, keep, func(f catalog.File, _ int) ([]catalog.NamedBlock, error) {
		blocks, _, err := t.readIndex(f)
		return blocks, err
	})
	return &catalog.BlockIndex{BlockList: list, Block: readBlock, UserKey: userKey}, err
}
