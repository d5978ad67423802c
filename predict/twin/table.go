package twin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"getio/tree/lsm"
)

// table is one table. Its blocks are numbered from first on, in this order: top index, filter,
// index blocks, data blocks.
type table struct {
	lo, hi  uint64 // first 64 bits of its smallest and largest key
	spread  spread
	run     int
	first   uint64
	index   uint64 // second-level index blocks; 0 if there is only the top index
	data    uint64 // data blocks
	topSize uint32
	// filterSize is 0 if Gets consult none.
	filterSize uint32
	// The hashes decide on the blocks' shards; 0 if not known.
	topHash, filterHash uint64
	indexSize           uint32
	segments            []segment // of data blocks; at least one
	file                uint64
	blockBytes          int64   // mean size of its data blocks, without the cache's overhead
	stored              float64 // bytes in the file per byte of these
	// falsePositive is the filter's false-positive rate.
	falsePositive float64
	// pastLast is the share of absent keys that are looked up in two data blocks.
	pastLast float64
}

// Numbers of a table's blocks, relative to first.
const (
	topBlock = iota
	filterBlock
	indexBlock // and further ones
)

func (t *Tree) newTable(level int, l lsm.Table) (table, error) {
	switch {
	case l.Records < 0 || l.DataBlocks <= 0 || l.DataBlocks > l.Records:
		return table{}, fmt.Errorf("has %d records in %d data blocks", l.Records, l.DataBlocks)
	case l.TopIndexBytes <= 0 || l.IndexBlocks < 0 || l.IndexBlocks > l.DataBlocks || l.IndexBytes < l.IndexBlocks || l.FilterBytes < 0:
		return table{}, fmt.Errorf("has a top index of %d bytes, %d index blocks of %d bytes, a filter of %d bytes", l.TopIndexBytes, l.IndexBlocks, l.IndexBytes, l.FilterBytes)
	case l.TopIndexBytes > math.MaxUint32 || l.FilterBytes > math.MaxUint32 || l.IndexBytes > max(1, l.IndexBlocks)*math.MaxUint32:
		return table{}, errors.New("has blocks of 4 GiB or more")
	}
	p := table{
		lo: prefix(l.Smallest), hi: prefix(l.Largest),
		index: uint64(l.IndexBlocks), data: uint64(l.DataBlocks), topSize: t.size(l.TopIndexBytes),
	}
	if p.hi < p.lo {
		return table{}, errors.New("has its largest key before its smallest")
	}
	p.topHash = t.hash(l.File, l.TopIndexOffset)
	block := t.opts.BlockBytes(l)
	if block <= 0 || block > math.MaxUint32 {
		return table{}, fmt.Errorf("has data blocks of %d bytes", block)
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
		p.falsePositive = falsePositives(float64(l.FilterBytes) * 8 / float64(l.Records))
	}
	return p, nil
}

// hash returns the hash that decides on the shard of a block, 0 if it is not known.
func (t *Tree) hash(file uint64, offset int64) uint64 {
	if file == 0 || offset == 0 {
		return 0
	}
	return t.opts.Library.Hash(file, uint64(offset))
}

// size returns the bytes that a block takes in the cache.
func (t *Tree) size(bytes int64) uint32 { return uint32(bytes) + t.opts.Library.BlockOverhead }

// prefix returns the first 64 bits of a key.
func prefix(key lsm.Key) uint64 {
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// segment is a run of equal data blocks in a table.
type segment struct {
	records float64 // cumulative share of the table's records
	first   uint64  // number of its first block in the table
	blocks  uint64  // at least one
	size    uint32  // of a block in the cache
}

// newSegments divides a table's data blocks, whose mean size is bytes.
func (t *Tree) newSegments(level int, l lsm.Table, bytes int64) []segment {
	var shares []lsm.Segment
	if t.opts.Segments != nil {
		shares = t.opts.Segments(level, l)
	}
	if len(shares) < 2 || l.DataBlocks < int64(len(shares)) {
		return []segment{{records: 1, blocks: uint64(l.DataBlocks), size: t.size(bytes)}}
	}
	list := make([]segment, len(shares))
	records, blocks := 0.0, 0.0
	for i, share := range shares {
		records += share.Records
		blocks += share.Blocks
		s := segment{records: records, size: t.size(max(int64(share.BlockBytes), 1))}
		if i > 0 {
			s.first = list[i-1].first + list[i-1].blocks
		}
		// Each has at least one block.
		end := uint64(math.Round(blocks * float64(l.DataBlocks)))
		end = min(max(end, s.first+1), uint64(l.DataBlocks)-uint64(len(shares)-1-i))
		s.blocks = end - s.first
		list[i] = s
	}
	last := &list[len(list)-1]
	last.records, last.blocks = 1, uint64(l.DataBlocks)-last.first
	return list
}

// block returns the data block at a place of the table, and its size.
func (p *table) block(place float64) (number uint64, size uint32) {
	before := 0.0
	for i := range p.segments {
		s := &p.segments[i]
		if place < s.records || i == len(p.segments)-1 {
			within := (place - before) / (s.records - before)
			return s.first + min(uint64(within*float64(s.blocks)), s.blocks-1), s.size
		}
		before = s.records
	}
	panic("a table without data blocks")
}
