package twin

import (
	"errors"
	"fmt"
	"math"

	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/predict/cachesim"
)

// table is one table. Its blocks are numbered from first on, in this order: top index, filter or
// the block that lists its partitions, index blocks, data blocks, partitions of the filter, range deletions.
type table struct {
	lo, hi uint64 // first 64 bits of its smallest and largest key
	spread spread
	number uint32
	run    int
	first  uint64
	index  uint64 // second-level index blocks; 0 if there is only the top index
	data   uint64 // data blocks
	keys   float64
	others float64 // how dense the keys are that Gets do not find here, relative to the table's run
	top    blockSize
	filter blockSize // zero if Gets consult none; of a partitioned one, its top
	// partition is the size of a partition of the filter, of which there are as many; 0 if it is one
	// block.
	partition      blockSize
	partitions     uint64
	rangeDeletions blockSize // zero if Gets read none
	// The hashes decide on the blocks' shards; 0 if not known.
	topHash, filterHash, rangeDeletionHash uint64
	indexes                                blockSize // of an index block
	segments                               []segment // of data blocks; none without these
	file                                   uint64
	stored                                 float64 // bytes in the file per byte of data blocks
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

// rangeDeletionBlock is the number of the block of range deletions, relative to first, whether or not there is one.
func (p *table) rangeDeletionBlock() uint64 { return indexBlock + p.index + p.data + p.partitions }

// filtered reports whether Gets consult a filter of the table.
func (p *table) filtered() bool { return p.filter.bytes > 0 }

func (t *Tree) newTable(level int, l lsm.Table) (table, error) {
	switch {
	case l.Records < 0 || l.DataBlocks < 0 || l.DataBlocks > l.Records || l.DataBlocks == 0 && l.Records > 0:
		return table{}, fmt.Errorf("has %d records in %d data blocks", l.Records, l.DataBlocks)
	case found(l) > uint64(l.Records), l.Records > 0 && (l.Keys() < 1 || l.Keys() > l.Records):
		return table{}, fmt.Errorf("has %d live records and %d keys in %d records", int64(found(l)), l.Keys(), l.Records)
	case l.TopIndexBytes <= 0 || l.IndexBlocks < 0 || l.IndexBlocks > l.DataBlocks || l.IndexBytes < l.IndexBlocks || l.FilterBytes < 0,
		l.FilterBlocks > 0 && (l.TopFilterBytes <= 0 || l.FilterBytes < l.TopFilterBytes+l.FilterBlocks):
		return table{}, fmt.Errorf("has a top index of %d bytes, %d index blocks of %d bytes, a filter of %d bytes", l.TopIndexBytes, l.IndexBlocks, l.IndexBytes, l.FilterBytes)
	case max(l.TopIndexBytes, l.FilterBytes, l.RangeDeletionBytes, l.PinnedBytes) > math.MaxUint32 || l.IndexBytes > max(1, l.IndexBlocks)*math.MaxUint32:
		return table{}, errors.New("has blocks of 4 GiB or more")
	}
	p := table{
		lo: l.Smallest.Prefix(), hi: l.Largest.Prefix(),
		index: uint64(l.IndexBlocks), data: uint64(l.DataBlocks), keys: float64(l.Keys()),
	}
	storedIndex := float64(max(l.Bytes-l.DataBytes-l.FilterBytes, 0)) / float64(l.IndexBytes+l.TopIndexBytes)
	p.top = t.size(readpath.TopIndex, l.TopIndexBytes, storedIndex)
	if p.hi < p.lo {
		return table{}, errors.New("has its largest key before its smallest")
	}
	p.topHash = t.hash(l.File, l.TopIndexOffset)
	p.file = l.File
	if l.PinnedBytes > 0 {
		t.pinned += int64(t.size(readpath.Other, l.PinnedBytes, 1).size)
	}
	if l.RangeDeletionBytes > 0 {
		p.rangeDeletions, p.rangeDeletionHash = t.size(readpath.Other, l.RangeDeletionBytes, 1), t.hash(l.File, l.RangeDeletionOffset)
	}
	if l.DataBlocks == 0 {
		return p, nil
	}
	block := t.opts.BlockBytes(l)
	if block <= 0 || block > math.MaxUint32 {
		return table{}, fmt.Errorf("has data blocks of %d bytes", block)
	}
	p.stored = float64(l.DataBytes) / float64(l.DataBlocks*block)
	p.segments = t.newSegments(l, block, p.stored)
	p.pastLast = l.PastLast()
	if p.index > 0 {
		p.indexes = t.size(readpath.Index, l.IndexBytes/l.IndexBlocks, storedIndex)
	}
	if l.FilterBytes > 0 && (t.opts.LastLevelFilter || t.opts.Library.LastLevelFilters.consults(level, t.last)) {
		t.setFilter(&p, l)
	}
	return p, nil
}

func (t *Tree) setFilter(p *table, l lsm.Table) {
	p.filter = t.size(readpath.Filter, l.FilterBytes, 1)
	if l.FilterBlocks > 0 {
		p.filter = t.sizeOf(cachesim.Block{Component: readpath.Filter, TopFilter: true}, l.TopFilterBytes, 1)
		p.partitions, p.partition = uint64(l.FilterBlocks), t.size(readpath.Filter, (l.FilterBytes-l.TopFilterBytes)/l.FilterBlocks, 1)
	}
	p.filterHash = t.hash(l.File, l.FilterOffset)
	p.falsePositive = t.opts.Library.FalsePositives(l)
}

// hash returns the hash that decides on the shard of a block, 0 if it is not known.
func (t *Tree) hash(file uint64, offset int64) uint64 {
	if file == 0 || offset == 0 {
		return 0
	}
	return t.sharding.Hash(file, uint64(offset))
}

// blockSize is the size of a block, in bytes.
type blockSize struct {
	size   uint32 // in the cache
	bytes  uint32 // uncompressed
	stored uint32 // in its file, with its trailer
}

// size returns the size of a block of which a share of its bytes is stored. It is not compressed if
// that is all.
func (t *Tree) size(c readpath.Component, bytes int64, stored float64) blockSize {
	return t.sizeOf(cachesim.Block{Component: c}, bytes, stored)
}

// sizeOf is like size for a block whose Component and TopFilter are given by kind.
func (t *Tree) sizeOf(kind cachesim.Block, bytes int64, stored float64) blockSize {
	s := blockSize{bytes: uint32(bytes), stored: uint32(bytes) + blockformat.TrailerLen}
	if stored > 0 && stored < 1 {
		s.stored = uint32(float64(bytes) * stored)
	}
	kind.Stored, kind.Size = s.stored, s.bytes
	s.size = t.opts.Library.Cache.Charge(kind)
	return s
}
