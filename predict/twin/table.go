package twin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"getio/tree/lsm"
)

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

// hash decides on the shard of the block at an offset of a file.
func (t *Tree) hash(file uint64, offset int64) uint64 {
	if file == 0 || offset == 0 {
		return 0
	}
	return t.opts.Library.Hash(file, uint64(offset))
}

// size is what a block takes of the cache.
func (t *Tree) size(bytes int64) uint32 { return uint32(bytes) + t.opts.Library.BlockOverhead }

// prefix is the first 64 bits of a key.
func prefix(key lsm.Key) uint64 {
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}
