package sstfile

import (
	"context"
	"fmt"
	"sort"

	"getio/tree/blockformat"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"

	"getio/engine"
	"getio/engine/openfile"
	"getio/engine/region"
	"getio/tree/lsm"
)

// Catalog is what the tails of all tables of a database tell. It does not
// change.
type Catalog struct {
	open    Open
	tables  []*table
	regions map[uint64]*region.Map // by file number
	shape   *lsm.Shape
}

// ReadCatalog reads the tails of the given tables in parallel.
func ReadCatalog(ctx context.Context, refs []Ref, open Open) (*Catalog, error) {
	opts := readerOptions()
	c := &Catalog{open: open, tables: make([]*table, len(refs)), regions: make(map[uint64]*region.Map, len(refs))}
	err := openfile.Each(ctx, len(refs), func(i int) (err error) {
		c.tables[i], err = readTable(refs[i], open, opts)
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

func readerOptions() sstable.ReaderOptions {
	opts := &pebble.Options{}
	opts.EnsureDefaults()
	opts.Filters = map[string]pebble.FilterPolicy{bloom.FilterPolicy(10).Name(): bloom.FilterPolicy(10)}
	opts.LoggerAndTracer = silent{}
	return opts.MakeReaderOptions()
}

// Regions returns the region map of the table file with the given number.
func (c *Catalog) Regions(file uint64) (*region.Map, error) {
	r := c.regions[file]
	if r == nil {
		return nil, fmt.Errorf("table file %06d is not part of the tree that was looked at", file)
	}
	return r, nil
}

// Paths are the tables' files, each once.
func (c *Catalog) Paths() (paths []string) {
	seen := map[uint64]bool{}
	for _, t := range c.tables {
		if !seen[t.ref.File] {
			seen[t.ref.File] = true
			paths = append(paths, t.ref.Path)
		}
	}
	return paths
}

// SingleLevel tells that no table has a second-level index, nor range
// deletions, so that Gets access nothing but filters, top indexes and data.
func (c *Catalog) SingleLevel() bool {
	for _, t := range c.tables {
		if t.twoLevel || t.props.NumRangeDeletions > 0 {
			return false
		}
	}
	return true
}

// TableFormats counts the tables by format.
func (c *Catalog) TableFormats() map[string]int {
	formats := map[string]int{}
	for _, t := range c.tables {
		formats[t.format.String()]++
	}
	return formats
}

// Shape is the shape of the tree.
func (c *Catalog) Shape() *lsm.Shape { return c.shape }

func (c *Catalog) sumShape() *lsm.Shape {
	var levels [lsm.NumLevels][]lsm.Table
	var l0 []lsm.Aged
	for _, t := range c.tables {
		if t.ref.Level == 0 {
			l0 = append(l0, lsm.Aged{Table: t.shape(), Newest: t.ref.LargestSeq, Exclusive: t.ref.LargestExclusive})
			continue
		}
		levels[t.ref.Level] = append(levels[t.ref.Level], t.shape())
	}
	levels[0] = lsm.AssignSublevels(l0)
	for _, list := range levels[1:] {
		sort.Slice(list, func(i, j int) bool { return string(list[i].Smallest) < string(list[j].Smallest) })
	}
	return lsm.NewShape(levels)
}

// shape describes the table as reads see it. A virtual table gets its share
// of its file's figures, by size.
func (t *table) shape() lsm.Table {
	p := &t.props
	s := lsm.Table{
		File:     t.ref.File,
		Smallest: t.ref.Smallest, Largest: t.ref.Largest,
		Bytes:      t.ref.Size,
		Records:    t.share(p.NumEntries),
		RawBytes:   t.share(p.RawKeySize + p.RawValueSize),
		DataBytes:  t.share(p.DataSize),
		DataBlocks: t.share(p.NumDataBlocks),
	}
	if t.twoLevel {
		s.TopIndexBytes = t.share(p.TopLevelIndexSize)
		s.IndexBytes = t.share(t.indexBytes() - p.TopLevelIndexSize)
		s.IndexBlocks = t.share(p.IndexPartitions)
	} else {
		s.TopIndexBytes = t.share(t.indexBytes())
	}
	s.FilterBytes = t.share(p.FilterSize)
	s.TopIndexOffset, s.FilterOffset = t.regions.TopIndex.Off, t.regions.Filter.Off
	return s
}

// indexBytes is the size of all index blocks: the library's sum, to which row
// formats add the trailer of the top index.
func (t *table) indexBytes() uint64 {
	if t.format.BlockColumnar() {
		return t.props.IndexSize
	}
	return t.props.IndexSize - blockformat.TrailerLen
}

func (t *table) share(n uint64) int64 {
	if !t.ref.Virtual || t.regions.Size == 0 {
		return int64(n)
	}
	return int64(float64(n) * float64(t.ref.Size) / float64(t.regions.Size))
}

// LevelProperties sums the tables' properties per level, in the way of the
// library's own tool (Pebble: tool/db.go, props.update).
func (c *Catalog) LevelProperties() (levels [lsm.NumLevels]engine.LevelProperties) {
	for _, t := range c.tables {
		add(&levels[t.ref.Level], t)
	}
	return levels
}

func add(l *engine.LevelProperties, t *table) {
	p := &t.props
	if seq := t.ref.SmallestSeq; seq != 0 && (l.SmallestSeq == 0 || seq < l.SmallestSeq) {
		l.SmallestSeq = seq
	}
	l.LargestSeq = max(l.LargestSeq, t.ref.LargestSeq)
	l.Count++
	l.DataSize += p.DataSize
	l.DataBlocks += p.NumDataBlocks
	l.IndexSize += p.IndexSize
	l.IndexBlocks += 1 + p.IndexPartitions
	l.TopIndexSize += p.TopLevelIndexSize
	l.FilterSize += p.FilterSize
	l.RawKeySize += p.RawKeySize
	l.RawValueSize += p.RawValueSize
	l.PinnedKeySize += p.SnapshotPinnedKeySize
	l.PinnedValueSize += p.SnapshotPinnedValueSize
	l.PinnedKeys += p.SnapshotPinnedKeys
	l.PointDelKeySize += p.RawPointTombstoneKeySize
	l.PointDelValueSize += p.RawPointTombstoneValueSize
	l.Deletes += p.NumDeletions - p.NumRangeDeletions
	l.SizedDeletes += p.NumSizedDeletions
	l.RangeDeletes += p.NumRangeDeletions
	l.RangeKeySets += p.NumRangeKeySets
	l.RangeKeyUnsets += p.NumRangeKeyUnsets
	l.RangeKeyDels += p.NumRangeKeyDels
	l.Merges += p.NumMergeOperands
	l.Sets += p.NumEntries - p.NumDeletions - p.NumMergeOperands
}
