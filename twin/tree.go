package twin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"getio/lsm"
	"getio/readpath"
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
	blooms blooms
	jump   jump
}

// run is a sorted run: a level, or a sublevel of L0.
type run struct {
	level    int
	from, to int // its tables, in key order
	jump     jump
}

// table is one table. Its blocks are numbered from first on: the top index, the
// filter, the index blocks, the data blocks.
type table struct {
	lo, hi  uint64 // first 64 bits of its first and last key
	spread  spread
	run     int
	first   uint64
	index   uint64 // second-level index blocks; 0 if the top index is all
	data    uint64 // data blocks
	topSize uint32
	// filterSize is 0 if Gets consult none.
	filterSize uint32
	// Hashes decide on the shards of single blocks; 0 if they are not known.
	topHash, filterHash uint64
	indexSize           uint32
	segments            []segment // of data blocks; at least one
	file                uint64
	blockBytes          int64   // mean of its data blocks, without the overhead of the cache
	stored              float64 // of a byte of these, in the file
	// falsePositive is how often the filter says maybe to a key that is not there.
	falsePositive float64
	// pastLast is how often a key that is not there is looked for in two data blocks.
	pastLast float64
}

// Numbers of a table's blocks, from its first on.
const (
	topBlock = iota
	filterBlock
	indexBlock // and those behind it
)

// NewTree prepares the tables that a shape lists.
func NewTree(s *lsm.Shape, o Options) (*Tree, error) {
	t := &Tree{opts: o, before: []uint64{0}, blooms: blooms{}}
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

func (t *Tree) newTable(level int, l lsm.Table) (table, error) {
	switch {
	case l.Records < 0 || l.DataBlocks <= 0 || l.DataBlocks > l.Records:
		return table{}, fmt.Errorf("%d records in %d data blocks", l.Records, l.DataBlocks)
	case l.TopIndexBytes <= 0 || l.IndexBlocks < 0 || l.IndexBlocks > l.DataBlocks || l.IndexBytes < l.IndexBlocks || l.FilterBytes < 0:
		return table{}, fmt.Errorf("a top index of %d bytes, %d index blocks of %d bytes, a filter of %d bytes", l.TopIndexBytes, l.IndexBlocks, l.IndexBytes, l.FilterBytes)
	case l.TopIndexBytes > math.MaxUint32 || l.FilterBytes > math.MaxUint32 || l.IndexBytes > max(1, l.IndexBlocks)*math.MaxUint32:
		return table{}, errors.New("blocks of 4 GiB and more")
	}
	p := table{
		lo: prefix(l.Smallest), hi: prefix(l.Largest),
		index: uint64(l.IndexBlocks), data: uint64(l.DataBlocks), topSize: t.size(l.TopIndexBytes),
	}
	if p.hi < p.lo {
		return table{}, errors.New("its largest key is before its smallest")
	}
	p.topHash = t.hash(l.File, l.TopIndexOffset)
	block := t.opts.BlockBytes(l)
	if block <= 0 || block > math.MaxUint32 {
		return table{}, fmt.Errorf("data blocks of %d bytes", block)
	}
	p.file, p.blockBytes = l.File, block
	p.stored = float64(l.DataBytes) / float64(l.DataBlocks*block)
	p.segments = t.newSegments(level, l, block)
	p.pastLast = l.PastLast()
	if p.index > 0 {
		p.indexSize = t.size(l.IndexBytes / l.IndexBlocks)
	}
	if l.FilterBytes > 0 && (level < lsm.NumLevels-1 || t.opts.LastLevelFilter) {
		p.filterSize = t.size(l.FilterBytes)
		p.filterHash = t.hash(l.File, l.FilterOffset)
		p.falsePositive = t.blooms.falsePositives(float64(l.FilterBytes) * 8 / float64(l.Records))
	}
	return p, nil
}

// hash decides on the shard of the block at an offset of a file.
func (t *Tree) hash(file uint64, offset int64) uint64 {
	if file == 0 || offset == 0 {
		return 0
	}
	return t.opts.Library.Hash(file, uint64(offset))
}

// size is what a block takes of the cache.
func (t *Tree) size(bytes int64) uint32 { return uint32(bytes) + t.opts.Library.BlockOverhead }

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

// prefix is the first 64 bits of a key.
func prefix(key lsm.Key) uint64 {
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// Records is the number of records of all tables that Gets find.
func (t *Tree) Records() uint64 { return t.before[len(t.before)-1] }

// Blocks is the number of block numbers: all are below it.
func (t *Tree) Blocks() uint64 { return t.blocks }

// prepare makes the jump tables.
func (t *Tree) prepare() {
	t.jump = newJump(t.before[1:])
	for i := range t.runs {
		r := &t.runs[i]
		ends := make([]uint64, 0, r.to-r.from)
		for _, table := range t.tables[r.from:r.to] {
			ends = append(ends, table.hi)
		}
		r.jump = newJump(ends)
	}
}

// Access is a block that a Get asks for.
type Access struct {
	Block     uint64
	Size      uint32 // in the cache, in bytes
	Component readpath.Component
	hash      uint64 // decides on the shard
}

// Existing appends the accesses of a Get of a record that is there, by its
// number: records are numbered table by table.
func (t *Tree) Existing(dst []Access, record uint64, random *Random) []Access {
	target := t.jump.first(t.before[1:], record+1)
	p := &t.tables[target]
	// The record's place in its table, as a share, and the key that lies there.
	place := (float64(record-t.before[target]) + random.Float64()) / float64(t.before[target+1]-t.before[target])
	key := p.keyAt(place)
	for i := range t.runs[:p.run] {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	dst = t.open(dst, p)
	return t.probe(dst, p, place)
}

// Absent appends the accesses of a Get of a key that no table has, near an
// existing record.
func (t *Tree) Absent(dst []Access, record uint64, random *Random) []Access {
	p := &t.tables[t.jump.first(t.before[1:], record+1)]
	key := p.keyAt(random.Float64())
	for i := range t.runs {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	return dst
}

// visit is a Get's visit of a run that does not have its key: of the first table
// that ends at or behind it.
func (t *Tree) visit(dst []Access, r *run, key uint64, random *Random) []Access {
	tables := t.tables[r.from:r.to]
	at := r.jump.firstTable(tables, key)
	if at == len(tables) {
		return dst
	}
	p := &tables[at]
	place := 0.0
	if key > p.lo {
		place = p.placeOf(key)
	} else if t.opts.Library.SkipsByBounds {
		return dst
	}
	dst = t.open(dst, p)
	if p.filterSize > 0 && random.Float64() >= p.falsePositive {
		return dst
	}
	if key <= p.lo {
		return t.probe(dst, p, place)
	}
	return t.miss(dst, p, place, random)
}

// access is an access of a block whose shard the hash decides on; one of 0 lets it
// be in any.
func access(block uint64, size uint32, c readpath.Component, hash uint64) Access {
	if hash == 0 {
		random := Random{block}
		hash = random.Uint64()
	}
	return Access{Block: block, Size: size, Component: c, hash: hash}
}

// open asks for a table's top index and, where Gets consult one, its filter.
func (t *Tree) open(dst []Access, p *table) []Access {
	dst = append(dst, access(p.first+topBlock, p.topSize, readpath.TopIndex, p.topHash))
	if p.filterSize > 0 {
		dst = append(dst, access(p.first+filterBlock, p.filterSize, readpath.Filter, p.filterHash))
	}
	return dst
}

// probe asks for the index block and the data block at a place of a table.
func (t *Tree) probe(dst []Access, p *table, place float64) []Access {
	block, size := p.block(place)
	return t.read(dst, p, block, size)
}

// miss asks for what leads to a place of a table that has no key: the next data
// block too if the place is behind the last key of its own.
func (t *Tree) miss(dst []Access, p *table, place float64, random *Random) []Access {
	block, size := p.block(place)
	dst = t.read(dst, p, block, size)
	if p.pastLast == 0 || block+1 == p.data || random.Float64() >= p.pastLast {
		return dst
	}
	if p.index > 0 && block*p.index/p.data == (block+1)*p.index/p.data {
		return append(dst, t.data(p, block+1, size))
	}
	return t.read(dst, p, block+1, size)
}

// read asks for a data block, and for the index block that leads to it.
func (t *Tree) read(dst []Access, p *table, block uint64, size uint32) []Access {
	if p.index > 0 {
		dst = append(dst, access(p.first+indexBlock+block*p.index/p.data, p.indexSize, readpath.Index, 0))
	}
	return append(dst, t.data(p, block, size))
}

func (t *Tree) data(p *table, block uint64, size uint32) Access {
	return access(p.first+indexBlock+p.index+block, size, readpath.Data, 0)
}
