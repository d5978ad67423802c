package sstfile

import (
	"context"
	"os"
	"testing"

	v1bloom "github.com/cockroachdb/pebble/bloom"
	v1provider "github.com/cockroachdb/pebble/objstorage/objstorageprovider"
	v1sstable "github.com/cockroachdb/pebble/sstable"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
	v1vfs "github.com/cockroachdb/pebble/vfs"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
)

// tableWriter is the part of either library's table writer that is the same in both.
type tableWriter interface {
	DeleteRange(start, end []byte) error
	RangeKeySet(start, end, suffix, value []byte) error
	Close() error
}

// newWriterV1 returns a table writer of Pebble v1 and its Add method.
func newWriterV1(t testing.TB, path string, s tableSpec) (w tableWriter, add func(key []byte, trailer uint64, value []byte) error) {
	f, err := v1vfs.Default.Create(path)
	require.NoError(t, err)
	o := v1sstable.WriterOptions{
		BlockSize: s.blockSize, IndexBlockSize: s.indexBlockSize, TableFormat: v1sstable.TableFormat(s.format),
		Compression: map[string]v1sstable.Compression{
			"snappy": v1sstable.SnappyCompression, "none": v1sstable.NoCompression, "zstd": v1sstable.ZstdCompression,
		}[s.compression],
	}
	if s.bloomBits > 0 {
		o.FilterPolicy = v1bloom.FilterPolicy(s.bloomBits)
	}
	v1 := v1sstable.NewWriter(v1provider.NewFileWritable(f), o)
	return v1, func(key []byte, trailer uint64, value []byte) error {
		return v1.Add(v1sstable.InternalKey{UserKey: key, Trailer: trailer}, value)
	}
}

// newWriterV2 is newWriterV1 for Pebble v2.
func newWriterV2(t testing.TB, path string, s tableSpec) (w tableWriter, add func(key []byte, trailer uint64, value []byte) error) {
	f, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	o := sstable.WriterOptions{
		BlockSize: s.blockSize, IndexBlockSize: s.indexBlockSize, TableFormat: sstable.TableFormat(s.format),
		Compression: map[string]*sstable.CompressionProfile{
			"snappy": sstable.SnappyCompression, "none": sstable.NoCompression, "zstd": sstable.ZstdCompression,
		}[s.compression],
	}
	if s.bloomBits > 0 {
		o.FilterPolicy = bloom.FilterPolicy(s.bloomBits)
	}
	v2 := sstable.NewWriter(objstorageprovider.NewFileWritable(f), o)
	return v2, func(key []byte, trailer uint64, value []byte) error {
		return v2.Raw().Add(pebble.InternalKey{UserKey: key, Trailer: pebble.InternalKeyTrailer(trailer)}, value, false)
	}
}

// tableLayout lists a table's blocks as the library finds them. Handles exclude trailers; a
// missing block has length 0.
type tableLayout struct {
	rangeDeletions                block.Handle
	data, index                   []block.Handle
	top, filter                   block.Handle
	properties, metaIndex, footer block.Handle
	other                         []block.Handle
}

// end returns the offset at which the block's trailer ends.
func end(h block.Handle) int64 { return int64(h.Offset + h.Length + blockformat.TrailerLen) }

// layout asks the library that wrote the table, except that v1 cannot read Zstandard blocks
// with the newer Zstandard library that v2 needs.
func (s tableSpec) layout(t testing.TB, path string) (l tableLayout) {
	t.Helper()
	if s.version == 1 && s.compression != "zstd" {
		l = layoutV1(t, path)
	} else {
		l = layoutV2(t, path)
	}
	if l.top.Length == 0 {
		// getio calls a single-level index the top index.
		require.Len(t, l.index, 1)
		l.top, l.index = l.index[0], nil
	}
	return l
}

func layoutV1(t testing.TB, path string) tableLayout {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	readable, err := v1sstable.NewSimpleReadable(f)
	require.NoError(t, err)
	policy := v1bloom.FilterPolicy(10)
	r, err := v1sstable.NewReader(readable, v1sstable.ReaderOptions{Filters: map[string]v1sstable.FilterPolicy{policy.Name(): policy}})
	require.NoError(t, err)
	defer r.Close()
	l, err := r.Layout()
	require.NoError(t, err)
	out := tableLayout{
		top: block.Handle(l.TopIndex), filter: block.Handle(l.Filter),
		rangeDeletions: block.Handle(l.RangeDel), properties: block.Handle(l.Properties), metaIndex: block.Handle(l.MetaIndex), footer: block.Handle(l.Footer),
	}
	for _, h := range l.Data {
		out.data = append(out.data, block.Handle(h.BlockHandle))
	}
	for _, h := range l.Index {
		out.index = append(out.index, block.Handle(h))
	}
	for _, h := range append(l.ValueBlock, l.ValueIndex, l.RangeDel, l.RangeKey) {
		out.other = append(out.other, block.Handle(h))
	}
	return out
}

func layoutV2(t testing.TB, path string) tableLayout {
	t.Helper()
	f, err := vfs.Default.Open(path)
	require.NoError(t, err)
	readable, err := sstable.NewSimpleReadable(f)
	require.NoError(t, err)
	r, err := sstable.NewReader(context.Background(), readable, *readerOptions())
	require.NoError(t, err)
	defer r.Close()
	l, err := r.Layout()
	require.NoError(t, err)
	out := tableLayout{
		index: l.Index, top: l.TopIndex, rangeDeletions: l.RangeDel, properties: l.Properties, metaIndex: l.MetaIndex, footer: l.Footer,
		other: append(l.ValueBlock, l.ValueIndex, l.RangeDel, l.RangeKey),
	}
	for _, h := range l.Data {
		out.data = append(out.data, h.Handle)
	}
	for _, h := range l.Filter {
		out.filter = h.Handle
	}
	return out
}
