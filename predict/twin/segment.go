package twin

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"getio/engine/lsm"
	"getio/engine/readpath"
)

// segment is a run of equally large data blocks in a table.
type segment struct {
	records float64 // cumulative share of the table's records
	first   uint64  // number of its first block in the table
	blocks  uint64  // at least one
	offset  uint64  // of its first block in the file
	// live, unless nil, says that Gets read records of some blocks more often than of others.
	live *liveCounts
	blockSize
}

// newSegments divides a table's data blocks, whose mean size is bytes.
func (t *Tree) newSegments(l lsm.Table, bytes int64, stored float64) []segment {
	shares := l.BlockKinds
	if len(shares) < 2 || l.DataBlocks < int64(len(shares)) {
		shares = []lsm.Segment{{Records: 1, Blocks: 1, BlockBytes: float64(bytes)}}
	}
	list := make([]segment, len(shares))
	records, blocks := 0.0, 0.0
	for i, share := range shares {
		records += share.Records
		blocks += share.Blocks
		s := segment{records: records, blockSize: t.size(readpath.Data, max(int64(share.BlockBytes), 1), stored)}
		if i > 0 {
			before := &list[i-1]
			s.first, s.offset = before.first+before.blocks, before.end()
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

// end returns the offset behind its last block.
func (s *segment) end() uint64 { return s.offset + s.blocks*uint64(s.stored) }

// block returns the data block at a place of the table, and its size. held says that it holds the key of a Get.
func (p *table) block(place float64, held bool) (number uint64, size blockSize) {
	before := 0.0
	for i := range p.segments {
		s := &p.segments[i]
		if place < s.records || i == len(p.segments)-1 {
			return s.first + s.block((place-before)/(s.records-before), held), s.blockSize
		}
		before = s.records
	}
	panic("a table without data blocks")
}

// segmentOf returns the segment of a data block.
func (p *table) segmentOf(block uint64) *segment {
	n := slices.IndexFunc(p.segments, func(s segment) bool { return block < s.first+s.blocks })
	return &p.segments[n]
}

// block returns the block at a place of the segment.
func (s *segment) block(place float64, held bool) uint64 {
	at := place * float64(s.blocks)
	if whole := s.blocks / liveGroups * liveGroups; held && s.live != nil && at < float64(whole) {
		round, in := math.Modf(at / liveGroups)
		return uint64(round)*liveGroups + s.live.group(in)
	}
	return min(uint64(at), s.blocks-1)
}

// setLiveCounts sets how blocks differ in the keys that Gets read there: those whose newest records are there, and those
// whose older records are read besides.
func (t *Tree) setLiveCounts(older []lsm.OlderRecords) {
	finds := map[lsm.SortedRun]float64{} // of older records
	for _, k := range older {
		if of := slices.IndexFunc(t.runs, func(r run) bool { return r.name == k.Of }); of >= 0 {
			finds[k.In] += k.Finds * t.foundInRun(&t.runs[of])
		}
	}
	for _, r := range t.runs {
		keys := 0.0
		for n := r.from; n < r.to; n++ {
			keys += t.tables[n].keys
		}
		// Each other key is as likely to be the one that is read.
		others := min(finds[r.name]/max(keys-t.foundInRun(&r), 1), 1)
		for n := r.from; n < r.to; n++ {
			t.tables[n].setLiveCounts(t.foundIn(n), others)
		}
	}
}

// foundInRun returns the number of records of a run that Gets find.
func (t *Tree) foundInRun(r *run) float64 { return float64(t.before[r.to] - t.before[r.from]) }

// setLiveCounts takes the number of keys that Gets find in the table, and the share of the others that they read there.
func (p *table) setLiveCounts(found, others float64) {
	read := (found + others*(p.keys-found)) / p.keys
	before := 0.0
	for i := range p.segments {
		s := &p.segments[i]
		s.live = newLiveCounts((s.records-before)*p.keys/float64(s.blocks), read)
		before = s.records
	}
}

// liveGroups is the number of groups into which blocks are divided by the number of their keys that Gets read.
const liveGroups = 8

// liveCounts holds, cumulated, the shares of a segment's Gets in each eighth of its blocks, those with the fewest
// keys that Gets read first. In a table with newer versions and deletions above it, these differ from block to block
// although all blocks have equally many records. Of each eight blocks that follow each other, one is of each group.
type liveCounts [liveGroups]float64

// newLiveCounts returns the counts of blocks with a number of keys in the mean, of which Gets read a share: any key
// with the same chance. It is nil if all blocks are alike.
func newLiveCounts(keys, read float64) *liveCounts {
	n := math.Round(keys)
	if !(read > 0 && read < 1 && n >= 1) {
		return nil
	}
	of, c := distuv.Binomial{N: n, P: read}, new(liveCounts)
	group, room := 0, 1.0/liveGroups
	for k := 0.0; k <= n; k++ {
		for p := of.Prob(k); p > 0 && group < liveGroups; {
			part := min(p, room)
			c[group] += part * k / (n * read)
			p, room = p-part, room-part
			if room <= 0 {
				group, room = group+1, 1.0/liveGroups
			}
		}
	}
	for g := 1; g < liveGroups; g++ {
		c[g] += c[g-1]
	}
	return c
}

// group returns the group of a Get at a place among those of eight blocks.
func (c *liveCounts) group(place float64) uint64 {
	for g := range uint64(liveGroups - 1) {
		if place < c[g]/c[liveGroups-1] {
			return g
		}
	}
	return liveGroups - 1
}

func (c *liveCounts) share(group int) float64 {
	before := 0.0
	if group > 0 {
		before = c[group-1]
	}
	return (c[group] - before) / c[liveGroups-1]
}
