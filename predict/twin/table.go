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
