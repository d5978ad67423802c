package sstfile

import (
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/sstable/block"
)

// uncompressed reads the blocks as the block cache would hold them.
func uncompressed(t *testing.T, table *table, handles []block.Handle) (sum int64) {
	t.Helper()
	f, err := openTableFile(table.Ref.Path)
	check(t, err)
	defer f.Close()
	var blocks block.Reader
	blocks.Init(f, readerOptions().ReaderOptions, table.checksum)
	for _, h := range handles {
		b, err := readBlock(&blocks, h)
		check(t, err)
		sum += int64(len(b.BlockData()))
		b.Release()
	}
	return sum
}

// TestShapeMatchesBlocks checks the sizes that IP1 and IP2 derive from: those of blocks in
// the cache, not on disk.
func TestShapeMatchesBlocks(t *testing.T) {
	for _, spec := range everySpec() {
		t.Run(spec.name(), func(t *testing.T) {
			t.Parallel()
			table := spec.table(t)
			l := spec.layout(t, table.Ref.Path)
			fi, err := os.Stat(table.Ref.Path)
			check(t, err)
			table.Ref.Size = fi.Size()
			s := table.Shape()
			for _, c := range []struct {
				what      string
				got, want int64
			}{
				{"bytes", s.Bytes, fi.Size()},
				{"records", s.Records, int64(len(spec.records) + spec.rangeDeletions)},
				{"data blocks", s.DataBlocks, int64(len(l.data))},
				{"data bytes", s.DataBytes, table.Regions.Data.End},
				{"index blocks", s.IndexBlocks, int64(len(l.index))},
				{"index bytes", s.IndexBytes, uncompressed(t, table, l.index)},
				{"top index bytes", s.TopIndexBytes, uncompressed(t, table, []block.Handle{l.top})},
				{"filter bytes", s.FilterBytes, int64(l.filter.Length)},
				{"top index offset", s.TopIndexOffset, int64(l.top.Offset)},
				{"filter offset", s.FilterOffset, int64(l.filter.Offset)},
			} {
				if c.got != c.want {
					t.Errorf("%s: %d, want %d", c.what, c.got, c.want)
				}
			}
		})
	}
}
