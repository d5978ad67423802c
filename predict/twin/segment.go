package twin

import (
	"math"

	"getio/tree/lsm"
)

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
