package twin

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"getio/tree/lsm"
)

// Options are what a tree's reads depend on besides its shape.
type Options struct {
	Library Library
	// BlockBytes is the mean size of a table's data blocks, as they lie in the cache.
	BlockBytes func(lsm.Table) int64
	// Segments, if it is set, tells in which way a table's data blocks differ; they
	// are alike where it returns none.
	Segments func(level int, t lsm.Table) []lsm.Segment
	// Weight, if it is set, tells how often Gets of existing keys find theirs among a
	// table's records, by which factor more than records are found in the mean: rarely
	// where most have newer versions above.
	Weight func(level int, t lsm.Table) float64
	// LastLevelFilter has Gets consult filters in the last level too, of as many
	// bits per key as the levels above have.
	LastLevelFilter bool
}

// Tree is a shape, prepared for Gets to walk down.
type Tree struct {
	opts   Options
	runs   []run // in the order in which Gets visit them: newest first
	tables []table
	// before is the number of records in the tables before each, then of all: those
	// that Gets find, as their weights say.
	before []uint64
	blocks uint64 // how many there are in all
	search searchIndex
}

// run is a sorted run: a level, or a sublevel of L0.
type run struct {
	level    int
	from, to int // its tables, in key order
	search   searchIndex
}

// NewTree prepares the tables that a shape lists.
func NewTree(s *lsm.Shape, o Options) (*Tree, error) {
	t := &Tree{opts: o, before: []uint64{0}}
	for _, level := range s.Levels {
		if int64(len(level.TableList)) != level.Tables || level.Tables == 0 {
			return nil, fmt.Errorf("the shape lists %d of %d tables of L%d", len(level.TableList), level.Tables, level.Level)
		}
		for _, list := range newestFirst(level) {
			if err := t.addRun(level.Level, list); err != nil {
				return nil, fmt.Errorf("the shape's L%d: %w", level.Level, err)
			}
		}
	}
	if t.Records() == 0 {
		return nil, errors.New("the shape has no records")
	}
	t.prepare()
	if !s.EvenTables {
		t.spreadLast()
	}
	return t, nil
}

// newestFirst are the tables of a level by sorted run, each in key order.
func newestFirst(level lsm.Level) [][]lsm.Table {
	list := slices.Clone(level.TableList)
	slices.SortStableFunc(list, func(a, b lsm.Table) int {
		if a.Sublevel != b.Sublevel {
			return b.Sublevel - a.Sublevel
		}
		return bytes.Compare(a.Smallest, b.Smallest)
	})
	var runs [][]lsm.Table
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(t lsm.Table) bool { return t.Sublevel != list[0].Sublevel })
		if n < 0 {
			n = len(list)
		}
		runs, list = append(runs, list[:n]), list[n:]
	}
	return runs
}

func (t *Tree) addRun(level int, list []lsm.Table) error {
	r := run{level: level, from: len(t.tables)}
	for _, l := range list {
		if l.Records == 0 {
			continue // nothing but range deletions, which are in no data block
		}
		table, err := t.newTable(level, l)
		if err != nil {
			return fmt.Errorf("file %06d: %w", l.File, err)
		}
		if n := len(t.tables); n > r.from && table.lo < t.tables[n-1].hi {
			return fmt.Errorf("file %06d begins before the table before it ends", l.File)
		}
		table.run = len(t.runs)
		table.first = t.blocks
		t.blocks += indexBlock + table.index + table.data
		t.tables = append(t.tables, table)
		t.before = append(t.before, t.Records()+t.found(level, l))
	}
	if r.to = len(t.tables); r.to > r.from {
		t.runs = append(t.runs, r)
	}
	return nil
}

// found is how many records a table counts as to Gets.
func (t *Tree) found(level int, l lsm.Table) uint64 {
	if t.opts.Weight == nil {
		return uint64(l.Records)
	}
	return uint64(math.Round(max(t.opts.Weight(level, l), 0) * float64(l.Records)))
}

// Other returns the tree that the same library would see of another shape, whose
// data blocks differ as those of this one.
func (t *Tree) Other(s *lsm.Shape, blockBytes func(lsm.Table) int64, lastLevelFilter bool) (*Tree, error) {
	o := t.opts
	o.BlockBytes, o.LastLevelFilter = blockBytes, lastLevelFilter
	if t.opts.Segments != nil {
		o.Segments = t.scaledSegments(blockBytes)
	}
	return NewTree(s, o)
}

// scaledSegments are those of tables that are laid out anew: blocks of all kinds grow
// as their table's mean does.
func (t *Tree) scaledSegments(blockBytes func(lsm.Table) int64) func(int, lsm.Table) []lsm.Segment {
	before := map[uint64]int64{}
	for i := range t.tables {
		before[t.tables[i].file] = t.tables[i].blockBytes
	}
	return func(level int, l lsm.Table) []lsm.Segment {
		list := slices.Clone(t.opts.Segments(level, l))
		for i := range list {
			list[i].BlockBytes *= float64(blockBytes(l)) / float64(before[l.File])
		}
		return list
	}
}

// CacheBytes is what all blocks would take in a cache.
func (t *Tree) CacheBytes() (sum int64) {
	for i := range t.tables {
		p := &t.tables[i]
		sum += int64(p.topSize) + int64(p.filterSize) + int64(p.index)*int64(p.indexSize)
		for _, s := range p.segments {
			sum += int64(s.blocks) * int64(s.size)
		}
	}
	return sum
}

// crowded is up to how many times the size of all filters and top indexes a cache is
// crowded by them.
const crowded = 1.5

// Sample returns the cache with so many of its shards simulated, or all of them where
// filters and top indexes crowd it: there, a few shards with more of them than they
// have room for make most of the misses, and a sample has too many or too few.
func (t *Tree) Sample(c Cache, shards int) Cache {
	var upper int64
	for i := range t.tables {
		upper += int64(t.tables[i].topSize) + int64(t.tables[i].filterSize)
	}
	if c.Sampled = min(shards, c.Shards); float64(c.Bytes) < crowded*float64(upper) {
		c.Sampled = c.Shards
	}
	return c
}

// storedData is what a byte of a data block in the cache takes in its table, in the
// mean of the blocks that Gets find their keys in.
func (t *Tree) storedData() float64 {
	var cached, stored float64
	for i := range t.tables {
		p := &t.tables[i]
		bytes, before := 0.0, 0.0
		for _, s := range p.segments {
			bytes += (s.records - before) * float64(s.size-t.opts.Library.BlockOverhead)
			before = s.records
		}
		bytes *= t.foundIn(i)
		cached += bytes
		stored += bytes * p.stored
	}
	return stored / cached
}

// Records is the number of records of all tables that Gets find.
func (t *Tree) Records() uint64 { return t.before[len(t.before)-1] }

// Blocks is the number of block numbers: all are below it.
func (t *Tree) Blocks() uint64 { return t.blocks }

// prepare makes the jump tables.
func (t *Tree) prepare() {
	t.search = newSearchIndex(t.before[1:])
	for i := range t.runs {
		r := &t.runs[i]
		ends := make([]uint64, 0, r.to-r.from)
		for _, table := range t.tables[r.from:r.to] {
			ends = append(ends, table.hi)
		}
		r.search = newSearchIndex(ends)
	}
}
