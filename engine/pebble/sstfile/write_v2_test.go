package sstfile

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// writeV2 writes a table with Pebble v2.
func writeV2(t testing.TB, path string, s tableSpec) {
	t.Helper()
	f, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	check(t, err)
	o := sstable.WriterOptions{
		BlockSize: s.blockSize, IndexBlockSize: s.indexBlockSize, TableFormat: sstable.TableFormat(s.format),
		Compression: map[string]*sstable.CompressionProfile{
			"snappy": sstable.SnappyCompression, "none": sstable.NoCompression, "zstd": sstable.ZstdCompression,
		}[s.compression],
	}
	if s.bloomBits > 0 {
		o.FilterPolicy = bloom.FilterPolicy(s.bloomBits)
	}
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(f), o)
	for _, r := range s.records {
		kind := pebble.InternalKeyKindSet
		if r.deletes {
			kind = pebble.InternalKeyKindDelete
		}
		key := pebble.InternalKey{UserKey: r.key, Trailer: pebble.InternalKeyTrailer(r.seq<<8 | uint64(kind))}
		check(t, w.Raw().Add(key, r.value, false))
	}
	for i := range s.rangeDeletions {
		check(t, w.DeleteRange(numberedKey(uint64(10*i)), numberedKey(uint64(10*i+5))))
	}
	for i := range s.rangeKeys {
		check(t, w.RangeKeySet(numberedKey(uint64(10*i)), numberedKey(uint64(10*i+5)), nil, []byte("value")))
	}
	check(t, w.Close())
}

// layoutV2 is what Pebble v2 itself says of a table's blocks.
func layoutV2(t testing.TB, path string) tableLayout {
	t.Helper()
	f, err := vfs.Default.Open(path)
	check(t, err)
	readable, err := sstable.NewSimpleReadable(f)
	check(t, err)
	r, err := sstable.NewReader(context.Background(), readable, *readerOptions())
	check(t, err)
	defer r.Close()
	l, err := r.Layout()
	check(t, err)
	var out tableLayout
	for _, h := range l.Data {
		out.data = append(out.data, handleV2(h.Handle))
	}
	for _, h := range l.Index {
		out.index = append(out.index, handleV2(h))
	}
	out.top = handleV2(l.TopIndex)
	for _, h := range l.Filter {
		out.filter = handleV2(h.Handle)
	}
	out.properties, out.metaIndex, out.footer = handleV2(l.Properties), handleV2(l.MetaIndex), handleV2(l.Footer)
	for _, h := range append(l.ValueBlock, l.ValueIndex, l.RangeDel, l.RangeKey) {
		out.addOther(handleV2(h))
	}
	return out
}

func handleV2(h block.Handle) handle { return handle{off: int64(h.Offset), length: int64(h.Length)} }
