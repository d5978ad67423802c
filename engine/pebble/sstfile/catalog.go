package sstfile

import (
	"context"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/catalog"
	"getio/engine/lsm"
	"getio/engine/region"
)

// Catalog holds the tables of a database.
type Catalog struct{ *catalog.Catalog[*table] }

// ReadCatalog reads the tails of the given tables in parallel. A nil open opens them as
// files on disk.
func ReadCatalog(ctx context.Context, refs []catalog.Ref, open Open) (*Catalog, error) {
	c, err := catalog.New(ctx, refs, reader(open), sumShape)
	return &Catalog{c}, err
}

// Live returns the region maps of a database whose set of tables changes.
func Live() *region.Live { return catalog.Live(reader(nil)) }

// Starts reads keys at which data blocks of a table begin: about one for each so many bytes.
func Starts(file uint64, path string, bytes int64) ([][]byte, error) {
	return catalog.Starts(reader(nil), file, path, bytes)
}

func reader(open Open) func(catalog.Ref) (*table, error) {
	opts := readerOptions()
	return func(ref catalog.Ref) (*table, error) { return readTable(ref, open, opts) }
}

func readerOptions() *sstable.ReaderOptions {
	opts := &pebble.Options{}
	opts.EnsureDefaults()
	opts.Filters = map[string]pebble.FilterPolicy{bloom.FilterPolicy(10).Name(): bloom.FilterPolicy(10)}
	opts.LoggerAndTracer = silent{}
	made := opts.MakeReaderOptions()
	return &made
}

// SingleLevel reports whether no table has a second-level index or range deletions, so
// that Gets access only filters, top indexes and data.
func (c *Catalog) SingleLevel() bool {
	for _, t := range c.Tables {
		if t.twoLevel || t.props.NumRangeDeletions > 0 {
			return false
		}
	}
	return true
}

func sumShape(c *catalog.Catalog[*table]) *lsm.Shape {
	levels := c.Levels(nil)
	var l0 []lsm.L0Table
	for _, t := range c.Tables {
		if t.Ref.Level == 0 {
			l0 = append(l0, lsm.L0Table{Table: t.Shape(), Newest: t.Ref.LargestSeq, Exclusive: t.Ref.LargestExclusive})
		}
	}
	levels[0] = lsm.AssignSublevels(l0)
	return lsm.NewShape(levels)
}

func (t *table) Format() string     { return t.format.String() }
func (t *table) DataBlocks() uint64 { return t.props.NumDataBlocks }

func (t *table) Records() (n uint64, known bool) {
	return t.props.NumEntries - t.props.NumRangeDeletions, true
}

// Shape implements catalog.Table. For a virtual table, it scales the figures of the file by size.
func (t *table) Shape() lsm.Table {
	p := &t.props
	s := lsm.Table{
		File:     t.Ref.File,
		Smallest: t.Ref.Smallest, Largest: t.Ref.Largest,
		Bytes:      t.Ref.Size,
		Records:    t.share(p.NumEntries - p.NumRangeDeletions),
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
	s.TopIndexOffset, s.FilterOffset = t.Regions.TopIndex.Off, t.Regions.Filter.Off
	if t.props.NumRangeDeletions > 0 { // the block is never compressed
		s.RangeDeletionBytes, s.RangeDeletionOffset = t.ranges.End-t.ranges.Off-blockformat.TrailerLen, t.ranges.Off
	}
	return s
}

// indexBytes returns the size of all index blocks. In row formats, the library's sum
// includes the trailer of the top index.
func (t *table) indexBytes() uint64 {
	if t.format.BlockColumnar() {
		return t.props.IndexSize
	}
	return t.props.IndexSize - blockformat.TrailerLen
}

func (t *table) share(n uint64) int64 {
	if !t.Ref.Virtual || t.Regions.Size == 0 {
		return int64(n)
	}
	return int64(float64(n) * float64(t.Ref.Size) / float64(t.Regions.Size))
}

// LevelProperties sums the tables' properties per level, as Pebble's own tool does (tool/db.go,
// props.update).
func (c *Catalog) LevelProperties() [lsm.NumLevels]engine.LevelProperties {
	return c.Catalog.LevelProperties(func(l *engine.LevelProperties, t *table) {
		p := &t.props
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
	})
}
