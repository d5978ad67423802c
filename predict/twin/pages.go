package twin

import (
	"math/bits"

	"getio/engine/readpath"
)

// offset returns the offset of a block in its table's file; n is its number in the table. The file has the data blocks first,
// then index blocks, filter, filter partitions, top index and range deletions.
func (p *table) offset(n uint64) uint64 {
	data := uint64(indexBlock) + p.index
	if n >= data && n < data+p.data {
		s := p.segmentOf(n - data)
		return s.offset + (n-data-s.first)*uint64(s.stored)
	}
	at := p.dataEnd()
	if n >= indexBlock && n < data {
		return at + (n-indexBlock)*uint64(p.indexes.stored)
	}
	if at += p.index * uint64(p.indexes.stored); n == filterBlock {
		return at
	}
	if at += uint64(p.filter.stored); n >= data+p.data && n < p.rangeDeletionBlock() {
		return at + (n-data-p.data)*uint64(p.partition.stored)
	}
	if at += p.partitions * uint64(p.partition.stored); n == topBlock {
		return at
	}
	return at + uint64(p.top.stored)
}

// dataEnd returns the offset behind the last data block.
func (p *table) dataEnd() uint64 {
	if len(p.segments) == 0 {
		return 0
	}
	return p.segments[len(p.segments)-1].end()
}

// bytes returns the size of the table's file.
func (p *table) bytes() uint64 {
	return p.offset(p.rangeDeletionBlock()) + uint64(p.rangeDeletions.stored)
}

// touchedPages returns the number of pages of all tables that contain a part of a block that Gets have accessed.
func (s *Simulation) touchedPages() (sum int64) {
	for i := range s.gets.tree.tables {
		p := &s.gets.tree.tables[i]
		t := touched{seen: s.seen, table: p, last: -1}
		for i := range p.segments {
			t.add(indexBlock+p.index+p.segments[i].first, p.segments[i].blocks, p.segments[i].stored)
		}
		t.add(indexBlock, p.index, p.indexes.stored)
		t.add(filterBlock, 1, p.filter.stored)
		t.add(indexBlock+p.index+p.data, p.partitions, p.partition.stored)
		t.add(topBlock, 1, p.top.stored)
		t.add(p.rangeDeletionBlock(), 1, p.rangeDeletions.stored)
		sum += t.pages
	}
	return sum
}

// touched counts the touched pages of a table. Blocks must be added in the order of the file.
type touched struct {
	seen  []uint64 // as in Simulation
	table *table
	last  int64 // page that was counted
	pages int64
}

// add adds n blocks of the same size, from block number first of the table on.
func (t *touched) add(first, n uint64, stored uint32) {
	if stored == 0 {
		return
	}
	offset := t.table.offset(first)
	first += t.table.first
	for b := t.next(first, first+n); b < first+n; b = t.next(b+1, first+n) {
		at := offset + (b-first)*uint64(stored)
		last := int64((at + uint64(stored) - 1) / readpath.PageBytes)
		t.pages += last - max(int64(at/readpath.PageBytes)-1, t.last)
		t.last = last
	}
}

// next returns the first block from a number on that was accessed; end or more if none before end was.
func (t *touched) next(from, end uint64) uint64 {
	for from < end {
		if rest := t.seen[from/64] >> (from % 64); rest != 0 {
			return from + uint64(bits.TrailingZeros64(rest))
		}
		from = (from/64 + 1) * 64
	}
	return end
}
