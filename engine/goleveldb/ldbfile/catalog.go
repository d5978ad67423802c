package ldbfile

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"getio/engine/openfile"
	"getio/engine/region"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Catalog is what the tails of all tables of a database tell. It does not
// change.
type Catalog struct {
	tables  []*table
	regions map[uint64]*region.Map // by file number
	shape   *lsm.Shape
}

// ReadCatalog reads the tails of the given tables in parallel.
func ReadCatalog(ctx context.Context, refs []Ref) (*Catalog, error) {
	c := &Catalog{tables: make([]*table, len(refs)), regions: make(map[uint64]*region.Map, len(refs))}
	err := openfile.Each(ctx, len(refs), func(i int) (err error) {
		c.tables[i], err = readTable(refs[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range c.tables {
		c.regions[t.ref.File] = &t.regions
	}
	c.shape = c.sumShape()
	return c, nil
}

// Regions returns the region map of the table with the given number, nil if it is
// not part of the tree that was looked at.
func (c *Catalog) Regions(file uint64) *region.Map { return c.regions[file] }

// Paths are the tables' files.
func (c *Catalog) Paths() []string {
	paths := make([]string, len(c.tables))
	for i, t := range c.tables {
		paths[i] = t.ref.Path
	}
	return paths
}

// TableFormats counts the tables by format: LevelDB has one.
func (c *Catalog) TableFormats() map[string]int {
	if len(c.tables) == 0 {
		return nil
	}
	return map[string]int{"LevelDB": len(c.tables)}
}

// Shape is the shape of the tree. Tables do not say how many records they hold.
func (c *Catalog) Shape() *lsm.Shape { return c.shape }

func (c *Catalog) sumShape() *lsm.Shape {
	var levels [lsm.NumLevels][]lsm.Table
	for _, t := range c.tables {
		levels[t.ref.Level] = append(levels[t.ref.Level], t.shape())
	}
	// A Get asks every table of L0 that may hold its key: each is a sublevel of its
	// own, the newest on top (goleveldb: leveldb/version.go, walkOverlapping).
	slices.SortFunc(levels[0], func(a, b lsm.Table) int { return cmp.Compare(a.File, b.File) })
	for i := range levels[0] {
		levels[0][i].Sublevel = i
	}
	for _, list := range levels[1:] {
		slices.SortFunc(list, func(a, b lsm.Table) int { return slices.Compare(a.Smallest, b.Smallest) })
	}
	return lsm.NewFilteredShape(levels)
}

// Check holds the extents of every table's region map against each other: with
// the reads that fit no block, it is how a map that has gone wrong is noticed.
func (c *Catalog) Check() readpath.Check {
	check := readpath.Check{Name: "region_map", OK: true, Detail: fmt.Sprintf("the maps of %d tables have no gap", len(c.tables))}
	for _, t := range c.tables {
		if err := t.verify(); err != nil {
			return readpath.Check{Name: check.Name, Detail: fmt.Sprintf("table %s: %v", t.ref.Path, err)}
		}
	}
	return check
}
