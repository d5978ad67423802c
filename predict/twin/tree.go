package twin

import (
	"errors"
	"fmt"
	"slices"

	"getio/engine/lsm"
	"getio/predict/cachesim"
)

// Options holds what a tree's reads depend on besides its shape.
type Options struct {
	Library Library
	// BlockBytes returns the mean size of a table's data blocks in the cache.
	BlockBytes func(lsm.Table) int64
	// LastLevelFilter makes Gets consult the filters of the last level too.
	LastLevelFilter bool
}

// Tree is a shape, prepared for simulated Gets.
type Tree struct {
	opts     Options
	sharding cachesim.Pebble // assigns blocks to shards
	runs     []run           // newest first, in the order in which Gets visit them
	level0   int             // how many of them are in L0
	last     int             // the last level
	tables   []table
	// before holds the records that Gets find in the tables before each table, then of all.
	before []uint64
	blocks uint64      // in all tables
	pinned int64       // bytes of a cache that open tables hold
	counts searchIndex // of before, without the 0
}

// run is a sorted run: a level, or a sublevel of L0.
type run struct {
	from, to int         // its tables, in key order
	ends     searchIndex // of the largest key of each
	name     lsm.SortedRun
	older    []further // for each run, how Gets that found their keys in this one go on to it
}

// first returns the first table that ends at or beyond a key; to if all end before it.
func (r *run) first(key uint64) int { return r.from + r.ends.first(key) }

// NewTree prepares the tables that a shape lists.
func NewTree(s *lsm.Shape, o Options) (*Tree, error) {
	t := &Tree{opts: o, sharding: o.Library.shards(), before: []uint64{0}}
	for _, level := range s.Levels {
		t.last = max(t.last, level.Level)
	}
	for _, level := range s.Levels {
		if int64(len(level.TableList)) != level.Tables || level.Tables == 0 {
			return nil, fmt.Errorf("the shape lists %d of %d tables of L%d", len(level.TableList), level.Tables, level.Level)
		}
		for _, list := range slices.Backward(level.Runs()) {
			if err := t.addRun(level.Level, list); err != nil {
				return nil, fmt.Errorf("the shape's L%d: %w", level.Level, err)
			}
		}
		if level.Level == 0 {
			t.level0 = len(t.runs)
		}
	}
	if t.Records() == 0 {
		return nil, errors.New("the shape has no records that Gets find")
	}
	t.counts = newSearchIndex(t.before[1:])
	if !s.EvenTables {
		t.spreadLast()
	}
	t.setOthers()
	t.setOlder(s.OlderRecords)
	t.setLiveCounts(s.OlderRecords)
	return t, nil
}

func (t *Tree) addRun(level int, list []lsm.Table) error {
	r := run{from: len(t.tables), name: lsm.SortedRun{Level: level, Sublevel: list[0].Sublevel}}
	var ends []uint64
	for _, l := range list {
		if l.Records == 0 && l.RangeDeletionBytes == 0 && l.PinnedBytes == 0 {
			continue // only range deletions, which are in no data block, and which Gets do not read
		}
		table, err := t.newTable(level, l)
		if err != nil {
			return fmt.Errorf("file %06d %w", l.File, err)
		}
		if n := len(t.tables); n > r.from && table.lo < t.tables[n-1].hi {
			return fmt.Errorf("file %06d overlaps the table before it", l.File)
		}
		table.number, table.run = uint32(len(t.tables)), len(t.runs)
		table.first = t.blocks
		t.blocks += table.rangeDeletionBlock() + 1
		t.tables = append(t.tables, table)
		ends = append(ends, table.hi)
		t.before = append(t.before, t.Records()+found(l))
	}
	if r.to = len(t.tables); r.to > r.from {
		r.ends = newSearchIndex(ends)
		t.runs = append(t.runs, r)
	}
	return nil
}

// found returns how many records of a table Gets find: all if that is not known.
func found(l lsm.Table) uint64 {
	if l.LiveRecords != nil {
		return uint64(*l.LiveRecords)
	}
	return uint64(l.Records)
}

// Other returns a tree of another shape, read by the same library.
func (t *Tree) Other(s *lsm.Shape, blockBytes func(lsm.Table) int64, lastLevelFilter bool) (*Tree, error) {
	return NewTree(s, Options{Library: t.opts.Library, BlockBytes: blockBytes, LastLevelFilter: lastLevelFilter})
}

// CacheBytes returns the bytes that all blocks take in a cache.
func (t *Tree) CacheBytes() (sum int64) {
	for i := range t.tables {
		p := &t.tables[i]
		sum += int64(p.index)*int64(p.indexes.size) + int64(p.partitions)*int64(p.partition.size)
		if !t.opts.Library.MetadataOutside {
			sum += int64(p.top.size) + int64(p.filter.size) + int64(p.rangeDeletions.size)
		}
		for _, s := range p.segments {
			sum += int64(s.blocks) * int64(s.size)
		}
	}
	return sum
}

// Pinned returns the bytes of a cache that open tables hold. They are not for other blocks.
func (t *Tree) Pinned() int64 { return t.pinned }

// crowded times the size of all filters, top indexes and range deletions is the size below which they crowd a cache.
const crowded = 1.5

// Sample returns the cache with the given number of shards simulated, or all where filters and
// top indexes crowd it: then a few shards with more of them than fit make most of the misses,
// and a sample would hold too many or too few of these.
func (t *Tree) Sample(c Cache, shards int) Cache {
	var upper int64
	for i := range t.tables {
		upper += int64(t.tables[i].top.size) + int64(t.tables[i].filter.size) + int64(t.tables[i].rangeDeletions.size)
	}
	if c.Sampled = min(shards, c.Shards); float64(c.Bytes) < crowded*float64(upper) || t.own(c) {
		c.Sampled = c.Shards
	}
	return c
}

// storedData returns the bytes in the file per byte of a cached data block, as the mean over
// the blocks in which Gets find their keys.
func (t *Tree) storedData() float64 {
	var cached, stored float64
	for i := range t.tables {
		p := &t.tables[i]
		bytes, before := 0.0, 0.0
		for _, s := range p.segments {
			bytes += (s.records - before) * float64(s.bytes)
			before = s.records
		}
		bytes *= t.foundIn(i)
		cached += bytes
		stored += bytes * p.stored
	}
	return stored / cached
}

// Library returns the library that reads the tree.
func (t *Tree) Library() *Library { return &t.opts.Library }

// Records returns how many records Gets find.
func (t *Tree) Records() uint64 { return t.before[len(t.before)-1] }

// Blocks returns the number of blocks: all block numbers are below it.
func (t *Tree) Blocks() uint64 { return t.blocks }

// tableOf returns the number of the table of a record.
func (t *Tree) tableOf(record uint64) int { return t.counts.first(record + 1) }
