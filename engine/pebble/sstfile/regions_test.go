package sstfile

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
	"getio/engine/readpath"
	"getio/engine/region"
)

// Table formats as both libraries number them.
const (
	formatLevelDB   = 1
	formatRocksDBv2 = 2
	formatPebblev1  = 3
	formatPebblev2  = 4 // range keys
	formatPebblev3  = 5 // value blocks
	formatPebblev4  = 6
	formatPebblev5  = 7 // columnar blocks
	formatPebblev7  = 9
)

// everySpec lists tables of every format that either library writes, with and without
// everything that affects where their blocks are.
func everySpec() (specs []tableSpec) {
	for version, formats := range map[int][2]int{
		1: {formatLevelDB, formatPebblev4},
		2: {formatPebblev1, formatPebblev7},
	} {
		for format := formats[0]; format <= formats[1]; format++ {
			for _, bloomBits := range []int{0, 10} {
				base := tableSpec{version: version, format: format, blockSize: 4096, indexBlockSize: 4096, bloomBits: bloomBits, compression: "snappy"}
				with := func(change func(*tableSpec)) {
					s := base
					change(&s)
					specs = append(specs, s)
				}
				with(func(s *tableSpec) { s.records = plainRecords(1, 10) })
				with(func(s *tableSpec) { s.records = plainRecords(2000, 100) })
				with(func(s *tableSpec) { s.records, s.indexBlockSize = plainRecords(2000, 100), 256 })
				with(func(s *tableSpec) { s.records, s.blockSize, s.indexBlockSize = plainRecords(500, 50), 1, 1 })
				with(func(s *tableSpec) { s.records, s.blockSize = plainRecords(500, 50), 1<<20 })
				with(func(s *tableSpec) { s.records, s.blockSize, s.compression = plainRecords(300, 3000), 512, "none" })
				with(func(s *tableSpec) { s.records, s.indexBlockSize, s.compression = plainRecords(2000, 4), 64, "zstd" })
				with(func(s *tableSpec) { s.records, s.rangeDeletions = plainRecords(1000, 40), 20 })
				with(func(s *tableSpec) { s.rangeDeletions = 20 })
				if format >= formatPebblev2 {
					with(func(s *tableSpec) { s.rangeKeys = 20 })
					with(func(s *tableSpec) { s.records, s.rangeKeys = plainRecords(1000, 40), 20 })
					with(func(s *tableSpec) {
						s.records, s.rangeKeys, s.rangeDeletions, s.indexBlockSize = plainRecords(1000, 40), 3, 3, 128
					})
				}
				if format >= formatPebblev3 {
					with(func(s *tableSpec) { s.records = versionedRecords(500, 60) })
					with(func(s *tableSpec) {
						s.records, s.rangeKeys, s.rangeDeletions, s.indexBlockSize = versionedRecords(2000, 60), 3, 3, 128
					})
				}
			}
		}
	}
	return specs
}

// TestTablesMatchLibraryBlocks compares region maps and shapes with the blocks that the
// library lists, for tables with every feature.
func TestTablesMatchLibraryBlocks(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	t.Run("tables", func(t *testing.T) {
		for _, spec := range everySpec() {
			t.Run(spec.name(), func(t *testing.T) {
				t.Parallel()
				table := spec.table(t)
				l := spec.layout(t, table.Ref.Path)
				assert.NoError(t, table.Verify(), "the map does not agree with the properties")
				matchRegions(t, table, l)
				matchShape(t, spec, table, l)
				mu.Lock()
				defer mu.Unlock()
				for feature, has := range l.features() {
					feature = fmt.Sprintf("v%d %s", spec.version, feature)
					seen[feature] = seen[feature] || has
				}
			})
		}
	})
	for feature, ok := range seen {
		assert.True(t, ok, "no table with %s", feature)
	}
}

func (l tableLayout) features() map[string]bool {
	others := len(slices.DeleteFunc(slices.Clone(l.other), func(h block.Handle) bool { return h.Length == 0 }))
	return map[string]bool{
		"two levels": len(l.index) > 1, "one level": len(l.index) == 0, "one block": len(l.data) == 1,
		"filter": l.filter.Length > 0, "no filter": l.filter.Length == 0,
		"range deletions, range keys, value blocks": others >= 4,
	}
}

func matchRegions(t *testing.T, table *table, l tableLayout) {
	t.Helper()
	r := &table.Regions
	for c, blocks := range map[readpath.Component][]block.Handle{
		readpath.Data: l.data, readpath.Index: l.index, readpath.TopIndex: {l.top}, readpath.Filter: {l.filter},
		readpath.TableOpen: {l.properties, l.metaIndex}, readpath.Other: l.other,
	} {
		for _, h := range blocks {
			if h.Length == 0 {
				continue
			}
			got, placed, footer := r.Classify(int64(h.Offset), int(end(h)-int64(h.Offset)))
			if got != c || !placed || footer {
				t.Errorf("block %+v is classified as %s (placed %v, footer %v), but the library has it as %s: %+v", h, got, placed, footer, c, *r)
			}
			matchShifted(t, r, h)
		}
	}
	matchFooter(t, r, l.footer)
	filled(t, "data", r.Data, l.data)
	filled(t, "index", r.Index, l.index)
}

// matchShifted reads across the block's borders. Such a read may only count as placed where
// blocks fill an extent, or where the borders are unknown.
func matchShifted(t *testing.T, r *region.Map, h block.Handle) {
	t.Helper()
	for _, d := range [][2]int64{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, 1}, {blockformat.TrailerLen, 0}, {0, -blockformat.TrailerLen}, {-200, 200}} {
		off, end := int64(h.Offset)+d[0], end(h)+d[1]
		if off < 0 || off >= end {
			continue
		}
		c, placed, footer := r.Classify(off, int(end-off))
		inside := r.Data.Contains(off, end) && c == readpath.Data ||
			r.Index.Contains(off, end) && c == readpath.Index ||
			r.Between(off, end) && c == readpath.Other ||
			footer && end == r.Size && end-off <= blockformat.MaxFooterLen
		if placed != inside {
			t.Errorf("a read of [%d,%d) beside block %+v is for %s, placed %v: %+v", off, end, h, c, placed, *r)
		}
	}
}

// matchFooter reads the tail as both libraries do, unless the file is shorter.
func matchFooter(t *testing.T, r *region.Map, footer block.Handle) {
	t.Helper()
	for _, n := range []int64{int64(footer.Length), 53, 61} {
		if n > r.Size {
			continue
		}
		if c, placed, isFooter := r.Classify(r.Size-n, int(n)); c != readpath.TableOpen || !placed || !isFooter {
			t.Errorf("the tail of %d bytes is for %s, placed %v, footer %v", n, c, placed, isFooter)
		}
	}
	assert.Equal(t, r.Size, int64(footer.Offset+footer.Length), "end of the footer")
}

// filled checks that the blocks fill the extent without gaps.
func filled(t *testing.T, name string, e region.Extent, blocks []block.Handle) {
	t.Helper()
	if len(blocks) == 0 {
		assert.Equal(t, region.Extent{}, e, "extent of %s, which has no blocks", name)
		return
	}
	at := e.Off
	for _, h := range blocks {
		assert.Equal(t, at, int64(h.Offset), "a gap in %s", name)
		at = end(h)
	}
	assert.Equal(t, e.End, at, "end of %s", name)
}

// uncompressed reads the blocks as the block cache would hold them.
func uncompressed(t *testing.T, table *table, handles []block.Handle) (sum int64) {
	t.Helper()
	f, err := table.open.file(table.Ref)
	require.NoError(t, err)
	defer f.Close()
	var blocks block.Reader
	blocks.Init(f, readerOptions().ReaderOptions, table.checksum)
	for _, h := range handles {
		b, err := readBlock(&blocks, h)
		require.NoError(t, err)
		sum += int64(len(b))
	}
	return sum
}

// matchShape checks the sizes that IP1 and IP2 derive from: those of blocks in the cache,
// not on disk.
func matchShape(t *testing.T, spec tableSpec, table *table, l tableLayout) {
	t.Helper()
	table.Ref.Size = table.Regions.Size
	s := table.Shape()
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"bytes", s.Bytes, int64(l.footer.Offset + l.footer.Length)},
		{"records", s.Records, int64(len(spec.records))},
		{"range deletion bytes", s.RangeDeletionBytes, int64(l.rangeDeletions.Length)},
		{"range deletion offset", s.RangeDeletionOffset, int64(l.rangeDeletions.Offset)},
		{"data blocks", s.DataBlocks, int64(len(l.data))},
		{"data bytes", s.DataBytes, table.Regions.Data.End},
		{"index blocks", s.IndexBlocks, int64(len(l.index))},
		{"index bytes", s.IndexBytes, uncompressed(t, table, l.index)},
		{"top index bytes", s.TopIndexBytes, uncompressed(t, table, []block.Handle{l.top})},
		{"filter bytes", s.FilterBytes, int64(l.filter.Length)},
		{"top index offset", s.TopIndexOffset, int64(l.top.Offset)},
		{"filter offset", s.FilterOffset, int64(l.filter.Offset)},
	} {
		assert.Equal(t, c.want, c.got, c.what)
	}
}
