package sstfile

import (
	"os"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/sstable"
	"github.com/cockroachdb/pebble/vfs"
)

// writeV1 writes a table with Pebble v1.
func writeV1(t testing.TB, path string, s tableSpec) {
	t.Helper()
	f, err := vfs.Default.Create(path)
	check(t, err)
	o := sstable.WriterOptions{
		BlockSize: s.blockSize, IndexBlockSize: s.indexBlockSize, TableFormat: sstable.TableFormat(s.format),
		Compression: map[string]sstable.Compression{
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
		check(t, w.Add(pebble.InternalKey{UserKey: r.key, Trailer: r.seq<<8 | uint64(kind)}, r.value))
	}
	for i := range s.rangeDeletions {
		check(t, w.DeleteRange(numberedKey(uint64(10*i)), numberedKey(uint64(10*i+5))))
	}
	for i := range s.rangeKeys {
		check(t, w.RangeKeySet(numberedKey(uint64(10*i)), numberedKey(uint64(10*i+5)), nil, []byte("value")))
	}
	check(t, w.Close())
}

// layoutV1 is what Pebble v1 itself says of a table's blocks.
func layoutV1(t testing.TB, path string) tableLayout {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	readable, err := sstable.NewSimpleReadable(f)
	check(t, err)
	policy := bloom.FilterPolicy(10)
	r, err := sstable.NewReader(readable, sstable.ReaderOptions{
		Filters: map[string]sstable.FilterPolicy{policy.Name(): policy},
	})
	check(t, err)
	defer r.Close()
	l, err := r.Layout()
	check(t, err)
	var out tableLayout
	for _, h := range l.Data {
		out.data = append(out.data, handleV1(h.BlockHandle))
	}
	for _, h := range l.Index {
		out.index = append(out.index, handleV1(h))
	}
	out.top = handleV1(l.TopIndex)
	out.filter = handleV1(l.Filter)
	out.properties, out.metaIndex, out.footer = handleV1(l.Properties), handleV1(l.MetaIndex), handleV1(l.Footer)
	for _, h := range append(l.ValueBlock, l.ValueIndex, l.RangeDel, l.RangeKey) {
		out.addOther(handleV1(h))
	}
	return out
}

func handleV1(h sstable.BlockHandle) handle {
	return handle{off: int64(h.Offset), length: int64(h.Length)}
}
