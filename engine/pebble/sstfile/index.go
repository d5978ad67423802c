package sstfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/sstable/rowblk"
	"github.com/cockroachdb/pebble/v2/sstable/valblk"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/catalog"
)

// index is a table's index, for sampling keys.
type index struct {
	*catalog.BlockList[block.Handle]
	table *table
}

// Open implements catalog.Table.
func (t *table) Open() (catalog.File, error) {
	f, err := t.open.file(t.Ref)
	if err != nil {
		return nil, err
	}
	return f.File, nil
}

// EntryBytes implements catalog.Table: a handle, and a count of records.
func (t *table) EntryBytes() int64 { return 20 }

// ReadIndex implements catalog.Table.
func (t *table) ReadIndex(f catalog.File, keep bool) (catalog.Index, error) {
	tops := []block.Handle{t.top}
	if t.twoLevel {
		var err error
		if tops, err = t.handles(t.blocks(f), t.top); err != nil {
			return nil, err
		}
	}
	list, err := catalog.NewBlockList(f, len(tops), keep, func(f catalog.File, i int) ([]block.Handle, error) {
		return t.handles(t.blocks(f), tops[i])
	})
	return &index{list, t}, err
}

// blocks reads blocks of the table's open file.
func (t *table) blocks(f catalog.File) *block.Reader {
	r := new(block.Reader)
	r.Init(&diskFile{f, t.Regions.Size}, t.opts.ReaderOptions, t.checksum)
	return r
}

// Read implements catalog.Index.
func (x *index) Read(f catalog.File, n uint64, use func(catalog.Records) error) error {
	h, err := x.At(f, n)
	if err != nil {
		return err
	}
	b, err := readBlock(x.table.blocks(f), h)
	if err != nil {
		return err
	}
	defer b.Release()
	iter, err := x.table.records(b.BlockData())
	if err != nil {
		return err
	}
	return use(func(each func([]byte, catalog.Record) bool) error {
		for kv := iter.First(); kv != nil; kv = iter.Next() {
			if !each(kv.K.UserKey, x.table.does(&kv.K)) {
				return nil
			}
		}
		return iter.Error()
	})
}

// Measure implements catalog.Index.
func (x *index) Measure(f catalog.File, n uint64) (b engine.DataBlock, err error) {
	h, err := x.At(f, n)
	if err != nil {
		return b, err
	}
	data, err := readBlock(x.table.blocks(f), h)
	if err != nil {
		return b, err
	}
	defer data.Release()
	b.Bytes, b.Stored = int64(len(data.BlockData())), int64(h.Length)+blockformat.TrailerLen
	iter, err := x.table.records(data.BlockData())
	if err != nil {
		return b, err
	}
	for kv := iter.First(); kv != nil; kv = iter.Next() {
		b.Records++
		b.RawBytes += int64(kv.K.Size() + kv.V.InternalLen())
	}
	return b, iter.Error()
}

// Find implements catalog.Index.
func (x *index) Find(f catalog.File, keys [][]byte, found func(i int)) error {
	t := x.table
	blocks := t.blocks(f)
	indexes := []*heldIndex{{}}
	if t.twoLevel {
		indexes = append(indexes, &heldIndex{})
	}
	var data heldBlock
	defer func() {
		data.release()
		for _, index := range indexes {
			index.release()
		}
	}()
	var records block.DataBlockIterator
	for i, key := range keys {
		at := t.top
		for _, index := range indexes {
			ok, err := index.seek(t, blocks, &at, key)
			if err != nil || !ok { // no later key is in the table
				return err
			}
		}
		changed, err := data.read(blocks, at)
		if err == nil && changed {
			records, err = t.records(data.BlockData())
		}
		if err != nil {
			return err
		}
		kv := records.SeekGE(key, 0)
		if err := records.Error(); err != nil {
			return err
		}
		if kv != nil && bytes.Equal(kv.K.UserKey, key) && t.holds(key) {
			found(i)
		}
	}
	return nil
}

// heldBlock is a block that is held until another one is read.
type heldBlock struct {
	block.BufferHandle
	at block.Handle
}

func (b *heldBlock) read(blocks *block.Reader, at block.Handle) (changed bool, err error) {
	if b.at == at {
		return false, nil
	}
	b.release()
	if b.BufferHandle, err = readBlock(blocks, at); err == nil {
		b.at = at
	}
	return true, err
}

func (b *heldBlock) release() {
	if b.at.Length > 0 {
		b.Release()
	}
	b.at = block.Handle{}
}

// heldIndex is an index block of either level.
type heldIndex struct {
	heldBlock
	iter block.IndexBlockIterator
}

// seek replaces the handle of the index block by that of the block that may hold the key. It returns false if
// the key is beyond all blocks.
func (b *heldIndex) seek(t *table, blocks *block.Reader, at *block.Handle, key []byte) (ok bool, err error) {
	changed, err := b.read(blocks, *at)
	if err == nil && changed {
		b.iter, err = t.entries(b.BlockData())
	}
	if err != nil || !b.iter.SeekGE(key) {
		return false, err
	}
	h, err := b.iter.BlockHandleWithProperties()
	*at = h.Handle
	return true, err
}

// History implements catalog.Table.
func (t *table) History(keys [][]byte, found func(i int, seq uint64, does catalog.Record)) (err error) {
	f, err := t.open.file(t.Ref)
	if err != nil {
		return err
	}
	r, err := sstable.NewReader(context.Background(), f, *t.opts)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	iter, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, iter.Close()) }()
	for i, key := range keys {
		kv := iter.SeekGE(key, 0)
		for ; kv != nil && bytes.Equal(kv.K.UserKey, key) && t.holds(key); kv = iter.Next() {
			found(i, uint64(kv.SeqNum()), t.does(&kv.K))
		}
		if kv == nil && iter.Error() != nil {
			return nil // Close returns the error
		}
	}
	return t.findDeletedRanges(r, keys, found)
}

// findDeletedRanges calls found with the deleted ranges that keys are in.
func (t *table) findDeletedRanges(r *sstable.Reader, keys [][]byte, found func(i int, seq uint64, does catalog.Record)) error {
	ranges, err := r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if err != nil || ranges == nil {
		return err
	}
	defer ranges.Close()
	for i, key := range keys {
		span, err := ranges.SeekGE(key)
		if err != nil {
			return err
		}
		if span == nil {
			break
		}
		if bytes.Compare(span.Start, key) <= 0 && t.holds(key) {
			for _, k := range span.Keys {
				found(i, uint64(k.SeqNum()), catalog.DeletesRange)
			}
		}
	}
	return nil
}

// Start implements catalog.Index: the first user key of the data block.
func (x *index) Start(f catalog.File, n uint64) (key []byte, err error) {
	err = x.Read(f, n, func(records catalog.Records) error {
		return records(func(k []byte, _ catalog.Record) bool {
			key = bytes.Clone(k)
			return false
		})
	})
	if err == nil && key == nil {
		err = fmt.Errorf("its data block %d is empty", n)
	}
	return key, err
}

// keySchema is the key schema of the columnar formats (Pebble: options.go, EnsureDefaults).
var keySchema = sync.OnceValue(func() *colblk.KeySchema {
	s := colblk.DefaultKeySchema(pebble.DefaultComparer, 16)
	return &s
})

// records returns an iterator over a data block.
func (t *table) records(data []byte) (block.DataBlockIterator, error) {
	c := pebble.DefaultComparer
	if !t.format.BlockColumnar() {
		iter := new(rowblk.Iter)
		return iter, iter.Init(c.Compare, c.ComparePointSuffixes, c.Split, data, block.NoTransforms)
	}
	var decoder colblk.DataBlockDecoder
	decoder.Init(keySchema(), data)
	iter := new(colblk.DataBlockIter)
	iter.InitOnce(keySchema(), c, new(valblk.Reader)) // values in other blocks are not read
	return iter, iter.Init(&decoder, block.NoTransforms)
}

func (t *table) does(k *pebble.InternalKey) catalog.Record {
	if !t.holds(k.UserKey) {
		return catalog.Outside
	}
	switch k.Kind() {
	case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete:
		return catalog.Sets
	case pebble.InternalKeyKindMerge:
		return catalog.Merges
	}
	return catalog.Deletes
}

// holds reports whether the key is within the bounds of a virtual table.
func (t *table) holds(key []byte) bool {
	if !t.Ref.Virtual {
		return true
	}
	end := bytes.Compare(key, t.Ref.Largest)
	return bytes.Compare(key, t.Ref.Smallest) >= 0 && (end < 0 || end == 0 && !t.Ref.LargestExclusive)
}
