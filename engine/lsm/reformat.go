package lsm

import (
	"math"
	"slices"
)

// Reformat returns the shape that s, whose tables have format l, would have in format to.
// The number of blocks changes by the same factor as for tables of random keys. The mean
// size of index entries stays the same. Filters change only with the bits per key, and with the
// blocks if they are of ranges. A table without a filter gets one only if no table has one. Sizes on
// disk become 0 (unknown), since repeated values compress better in larger blocks; filters of ranges
// need DataBytes, which stay as they are.
func (l *TableFormat) Reformat(s *Shape, to *TableFormat) *Shape {
	filtered := s.Filtered()
	return s.EachTable(func(_ int, t *Table) {
		if t.Records > 0 && t.DataBlocks > 0 {
			l.reformat(t, to, filtered)
		}
	})
}

// Filtered reports whether any table has a filter.
func (s *Shape) Filtered() bool { return s.Total().FilterBytes > 0 }

// reformat changes a table. filtered says whether any table of the shape has a filter.
func (l *TableFormat) reformat(t *Table, to *TableFormat, filtered bool) {
	before, density := *t, t.density()
	from, cut := Table{Records: t.Records}, Table{Records: t.Records}
	l.Estimate(&from, density)
	to.Estimate(&cut, density)
	t.Bytes, t.DataBytes, t.TopIndexOffset, t.FilterOffset, t.RangeDeletionOffset = 0, 0, 0, 0, 0
	if to.RangeFilters {
		t.DataBytes = before.DataBytes
	}
	t.DataBlocks = min(max(scaled(before.DataBlocks, cut.DataBlocks, from.DataBlocks), 1), t.Records)
	t.BlockKinds = slices.Clone(before.BlockKinds)
	for i := range t.BlockKinds { // their bytes are spread over more or fewer blocks
		t.BlockKinds[i].BlockBytes *= float64(before.DataBlocks) / float64(t.DataBlocks)
	}
	if to.BlockBytes != l.BlockBytes || to.IndexBlockBytes != l.IndexBlockBytes {
		t.resizeIndex(&before, l, to)
	}
	if (to.BloomBits != l.BloomBits || to.RangeFilters) && (before.FilterBytes > 0) == filtered {
		t.FilterBytes = to.filterBytes(t)
	}
}

// resizeIndex recomputes the index after the data blocks have changed. It keeps the mean
// entry size and, unless partitions of the filter decide, the fill of the index blocks in before.
func (t *Table) resizeIndex(before *Table, from, to *TableFormat) {
	entry := float64(before.TopIndexBytes) / float64(before.DataBlocks)
	top, full := entry, 1.0
	if before.IndexBlocks > 0 {
		entry = float64(before.IndexBytes) / float64(before.DataBlocks)
		top = float64(before.TopIndexBytes) / float64(before.IndexBlocks)
	}
	if before.IndexBlocks > 1 {
		full = fill(before.IndexBytes, before.IndexBlocks) / float64(from.IndexBlockBytes)
		if !from.TopIndexAlways { // Pebble's are never larger; what RocksDB's were written with is not known
			full = min(full, 1)
		}
	}
	filters := before.FilterBytes - before.TopFilterBytes
	if before.FilterBlocks > 1 { // what divides the filter divides the index, too
		full = max(full, fill(filters, before.FilterBlocks)/float64(from.IndexBlockBytes))
	}
	all := int64(math.Round(entry * float64(t.DataBlocks)))
	blocks := int64(1)
	if to.IndexBlockBytes > 0 {
		blocks = ceil(float64(all) / (full * float64(to.IndexBlockBytes)))
	}
	t.IndexBytes, t.IndexBlocks, t.TopIndexBytes = 0, 0, max(all, 1)
	partitioned := blocks > 1
	if to.TopIndexAlways {
		partitioned = before.IndexBlocks > 0
	}
	if before.FilterBlocks > 0 {
		blocks = min(max(blocks, ceil(float64(filters)/(full*float64(to.IndexBlockBytes)))), t.DataBlocks)
		t.FilterBlocks = blocks
		t.TopFilterBytes = scaled(before.TopFilterBytes, blocks, before.FilterBlocks)
		t.FilterBytes = filters + t.TopFilterBytes
	}
	if partitioned {
		t.IndexBytes, t.IndexBlocks = all, min(blocks, t.DataBlocks)
		t.TopIndexBytes = int64(math.Round(top * float64(blocks)))
	}
}

// fill returns the mean size of full blocks. The last block is half full on average.
func fill(bytes, blocks int64) float64 { return float64(bytes) / (float64(blocks) - 0.5) }

// scaled returns n * a / b, rounded.
func scaled(n, a, b int64) int64 {
	return int64(math.Round(float64(n) * float64(a) / float64(b)))
}

// FilterLastLevel returns the shape with filters in all tables of the last level. Tables
// without one get a filter with the format's bits per key.
func (l *TableFormat) FilterLastLevel(s *Shape) *Shape {
	return s.EachTable(func(level int, t *Table) {
		if level == NumLevels-1 && t.Records > 0 && t.FilterBytes == 0 {
			t.FilterBytes = l.filterBytes(t)
			if t.Bytes > 0 {
				t.Bytes += t.FilterBytes
			}
		}
	})
}
