package treewriter_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/big"
	"slices"
	"sort"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/golang/snappy"
	"github.com/stretchr/testify/require"

	"getio/engine/virtual"
	"getio/workload/dataset"
)

// bordered pairs a virtual table with the table that the library writes for the same records.
type bordered struct {
	*planned
	number int    // index in the tree
	truth  []byte // the library's table
	table  *virtual.Table
}

// hold compares the complete table, each of its blocks, and the keys around the blocks.
func (b *bordered) hold(t *testing.T) {
	t.Helper()
	layout := layoutOf(t, b.truth)
	if b.tree.Tables[b.number].Level == 6 { // virtual tables lack its filters
		clear(b.truth[b.table.DataSize():b.table.IndexStart()])
	}
	whole := make([]byte, b.table.Size())
	if _, err := b.table.ReadAt(whole, 0); err != nil || !bytes.Equal(whole, b.truth) {
		t.Fatalf("table %d differs from the library's (%v)", b.number, err)
	}
	b.holdKeys(t, b.holdBlocks(t, layout.Data))
}

// holdBlocks reads every block by itself, from the last to the first, and the border after it.
// It returns the blocks' keys.
func (b *bordered) holdBlocks(t *testing.T, handles []block.HandleWithProperties) [][][]byte {
	t.Helper()
	keys := make([][][]byte, len(handles))
	for i, h := range slices.Backward(handles) {
		from, to := int64(h.Offset), int64(h.Offset+h.Length+block.TrailerLen)
		for _, part := range [][2]int64{{from, to}, {to - 1, to + 1}, {from + 1, to - 1}} {
			got := make([]byte, part[1]-part[0])
			if _, err := b.table.ReadAt(got, part[0]); err != nil || !bytes.Equal(got, b.truth[part[0]:part[1]]) {
				t.Fatalf("table %d, block %d of %d: %v differs (%v)", b.number, i, len(handles), part, err)
			}
		}
		keys[i] = entryKeys(t, b.truth[from:to])
	}
	return keys
}

// holdKeys looks up the keys around every border. The tree's rank of a key, and what the
// library finds in the virtual table, must agree with a list of all keys.
func (b *bordered) holdKeys(t *testing.T, blocks [][][]byte) {
	t.Helper()
	all := b.allKeys(t, blocks)
	reader, err := sstable.NewReader(context.Background(), readable{b.table}, sstable.ReaderOptions{})
	require.NoError(t, err)
	defer reader.Close()
	iter, err := reader.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	require.NoError(t, err)
	defer iter.Close()
	first := b.tree.FirstKey(b.number)
	for _, key := range append(borderKeys(blocks), b.rangeKeys()...) {
		below := sort.Search(len(all), func(i int) bool { return bytes.Compare(all[i], key) > 0 })
		require.Equal(t, uint64(below), b.tree.Rank(b.seed, b.number, key), "table %d: rank of %x", b.number, key)
		at := sort.Search(len(all), func(i int) bool { return bytes.Compare(all[i], key) >= 0 })
		found := iter.SeekGE(key, 0)
		if at == len(all) {
			require.Nil(t, found, "table %d: after %x", b.number, key)
			continue
		}
		if found == nil || !bytes.Equal(found.K.UserKey, all[at]) {
			t.Fatalf("table %d: SeekGE(%x) = %v (%v), want %x", b.number, key, found, iter.Error(), all[at])
		}
		value, _, err := found.Value(nil)
		require.NoError(t, err)
		if want := b.values.Value(first+uint64(at), nil); !bytes.Equal(value, want) {
			t.Fatalf("table %d: %x has the value %x, want %x", b.number, all[at], value, want)
		}
	}
}

// allKeys returns the table's keys by their indexes in the dataset. The blocks must hold the same.
func (b *bordered) allKeys(t *testing.T, blocks [][][]byte) (all [][]byte) {
	t.Helper()
	keys := b.tree.NewKeyspace(b.seed)
	first := b.tree.FirstKey(b.number)
	for i := range b.tree.Tables[b.number].Keys {
		var key [dataset.KeySize]byte
		keys.Key(first+i, &key)
		all = append(all, key[:])
	}
	require.True(t, slices.EqualFunc(all, slices.Concat(blocks...), bytes.Equal), "table %d: the keys in blocks differ from those of its indexes", b.number)
	return all
}

// borderKeys returns the first and last key of every block, the separator after it, and the
// neighbours of all of these.
func borderKeys(blocks [][][]byte) (keys [][]byte) {
	c := pebble.DefaultComparer
	for i, block := range blocks {
		first, last := block[0], block[len(block)-1]
		var separator []byte
		if i+1 < len(blocks) {
			separator = c.Separator(nil, last, blocks[i+1][0])
		} else {
			separator = c.Successor(nil, last)
		}
		for _, key := range [][]byte{first, last, separator} {
			keys = append(keys, beside(key, -1), key, beside(key, 1), append(bytes.Clone(key), 0), key[:len(key)-1])
		}
	}
	return keys
}

// rangeKeys returns the keys around both ends of the table's range.
func (b *bordered) rangeKeys() (keys [][]byte) {
	table := b.tree.Tables[b.number]
	for _, end := range []dataset.Prefix{table.First, table.Last} {
		key := binary.BigEndian.AppendUint64(nil, uint64(end))
		whole := append(bytes.Clone(key), bytes.Repeat([]byte{0xff}, dataset.KeySize-len(key))...)
		keys = append(keys, key, whole, beside(key, -1), beside(whole, 1))
	}
	return keys
}

// beside returns key, taken as a number, plus by; or key itself if that overflows.
func beside(key []byte, by int64) []byte {
	n := new(big.Int).SetBytes(key)
	n.Add(n, big.NewInt(by))
	if n.Sign() < 0 || n.BitLen() > 8*len(key) {
		return key
	}
	return n.FillBytes(make([]byte, len(key)))
}

// entryKeys decodes a stored block and returns its entries' keys, without trailers.
func entryKeys(t *testing.T, stored []byte) (keys [][]byte) {
	t.Helper()
	b := stored[:len(stored)-block.TrailerLen]
	if stored[len(b)] != 0 {
		var err error
		b, err = snappy.Decode(nil, b)
		require.NoError(t, err)
	}
	restarts := int(binary.LittleEndian.Uint32(b[len(b)-4:]))
	b = b[:len(b)-4*(restarts+1)]
	var key []byte
	for len(b) > 0 {
		var n [3]uint64 // shared, own, value
		for i := range n {
			var size int
			n[i], size = binary.Uvarint(b)
			b = b[size:]
		}
		key = append(key[:n[0]:n[0]], b[:n[1]]...)
		keys = append(keys, key[:len(key)-8])
		b = b[n[1]+n[2]:]
	}
	return keys
}

// layoutOf returns a table's blocks as reported by the library.
func layoutOf(t *testing.T, table []byte) *sstable.Layout {
	t.Helper()
	r, err := sstable.NewReader(context.Background(), readable{bytes.NewReader(table)}, sstable.ReaderOptions{})
	require.NoError(t, err)
	defer r.Close()
	l, err := r.Layout()
	require.NoError(t, err)
	return l
}

// readable adapts a table to objstorage.Readable.
type readable struct{ tableBytes }

type tableBytes interface {
	ReadAt(p []byte, off int64) (int, error)
	Size() int64
}

// ReadAt implements objstorage.Readable.
func (r readable) ReadAt(_ context.Context, p []byte, off int64) error {
	_, err := r.tableBytes.ReadAt(p, off)
	return err
}

// Close implements objstorage.Readable.
func (readable) Close() error { return nil }

// NewReadHandle implements objstorage.Readable.
func (r readable) NewReadHandle(objstorage.ReadBeforeSize) objstorage.ReadHandle {
	h := objstorage.MakeNoopReadHandle(r)
	return &h
}
