package rocksfile

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"getio/engine"
	"getio/engine/openfile"
	"getio/engine/region"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Catalog is what the tails of all tables of a tree tell. It does not change.
type Catalog struct {
	tables []*table
	byFile map[uint64]*table
	shape  *lsm.Shape
}

// ReadCatalog reads the tails of the given tables in parallel.
func ReadCatalog(ctx context.Context, refs []Ref) (*Catalog, error) {
	c := &Catalog{tables: make([]*table, len(refs)), byFile: make(map[uint64]*table, len(refs))}
	err := openfile.Each(ctx, len(refs), func(i int) (err error) {
		c.tables[i], err = readTable(refs[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range c.tables {
		c.byFile[t.ref.File] = t
	}
	c.shape = c.sumShape()
	return c, nil
}

// Regions returns the region map of the table with the given number, nil if it is not
// part of the tree that was looked at.
func (c *Catalog) Regions(file uint64) *region.Map {
	if t := c.byFile[file]; t != nil {
		return &t.regions
	}
	return nil
}

// Paths are the tables' files.
func (c *Catalog) Paths() []string {
	paths := make([]string, len(c.tables))
	for i, t := range c.tables {
		paths[i] = t.ref.Path
	}
	return paths
}

// TableFormats counts the tables by format.
func (c *Catalog) TableFormats() map[string]int {
	formats := map[string]int{}
	for _, t := range c.tables {
		formats[fmt.Sprintf("RocksDB %d", t.footer.format)]++
	}
	return formats
}

// AllFiltered tells whether every table has a filter that Gets can consult.
func (c *Catalog) AllFiltered() bool {
	return !slices.ContainsFunc(c.tables, func(t *table) bool { return t.regions.Filter == (region.Extent{}) })
}

// Shape is the shape of the tree.
func (c *Catalog) Shape() *lsm.Shape { return c.shape }

func (c *Catalog) sumShape() *lsm.Shape {
	var levels [lsm.NumLevels][]lsm.Table
	// A Get asks every table of L0 that may hold its key: each is a sublevel of its
	// own, the newest on top (RocksDB: db/version_set.cc, FilePicker).
	l0 := slices.Clone(c.tables)
	slices.SortFunc(l0, func(a, b *table) int { return cmp.Compare(a.ref.LargestSeq, b.ref.LargestSeq) })
	for _, t := range l0 {
		s := t.shape()
		if t.ref.Level == 0 {
			s.Sublevel = len(levels[0])
		}
		levels[t.ref.Level] = append(levels[t.ref.Level], s)
	}
	for _, list := range levels[1:] {
		slices.SortFunc(list, func(a, b lsm.Table) int { return slices.Compare(a.Smallest, b.Smallest) })
	}
	shape := lsm.NewFilteredShape(levels)
	shape.FiltersFirst, shape.WorstCaseReads = true, c.worstCase()
	return shape
}

// worstCase is what a Get costs when nothing is cached and its key is in the last
// sorted run: of each run above, the filter, which rules its table out, or index and
// data where it has none; of the last, all of it.
func (c *Catalog) worstCase() (reads int64) {
	var runs [lsm.NumLevels]int64 // in each level
	var filter, probe [lsm.NumLevels]int64
	last := -1
	for _, t := range c.tables {
		l := t.ref.Level
		if runs[l] = 1; l == 0 {
			runs[l] = int64(c.l0())
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

func (c *Catalog) l0() (n int) {
	for _, t := range c.tables {
		if t.ref.Level == 0 {
			n++
		}
	}
	return n
}

// filterReads is how many blocks it takes to consult the table's filter.
func (t *table) filterReads() int64 {
	switch {
	case t.regions.Filter == (region.Extent{}):
		return 0
	case t.regions.FilterPartitions == (region.Extent{}):
		return 1
	}
	return 2
}

// probeReads is how many blocks it takes to find a record.
func (t *table) probeReads() int64 {
	if t.twoLevel() {
		return 3
	}
	return 2
}

// LevelProperties sums the tables' properties per level.
func (c *Catalog) LevelProperties() (levels [lsm.NumLevels]engine.LevelProperties) {
	for _, t := range c.tables {
		levels[t.ref.Level].Count++
		t.addTo(&levels[t.ref.Level])
	}
	return levels
}

func (t *table) addTo(l *engine.LevelProperties) {
	p := &t.props
	if seq := t.ref.SmallestSeq; seq != 0 && (l.SmallestSeq == 0 || seq < l.SmallestSeq) {
		l.SmallestSeq = seq
	}
	l.LargestSeq = max(l.LargestSeq, t.ref.LargestSeq)
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
}

// Check holds the extents of every table's region map against each other: with the
// reads that fit no block, it is how a map that has gone wrong is noticed.
func (c *Catalog) Check() readpath.Check {
	check := readpath.Check{Name: "region_map", OK: true, Detail: fmt.Sprintf("the blocks of %d tables do not overlap", len(c.tables))}
	for _, t := range c.tables {
		if err := t.verify(); err != nil {
			return readpath.Check{Name: check.Name, Detail: fmt.Sprintf("table %s: %v", t.ref.Path, err)}
		}
	}
	return check
}
