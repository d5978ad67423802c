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

	"getio/engine/catalog"
	"getio/engine/region"
)

func (t *table) Open() (catalog.File, error) {
	f, err := t.open.file(t.Ref)
	if err != nil {
		return nil, err
	}
	return f.File, nil
}

func (t *table) ReadIndex(f catalog.File, keep bool) (*catalog.Index, error) {
	tops := []catalog.NamedBlock{{Extent: extent(t.top)}}
	if t.twoLevel {
		var err error
		if tops, err = t.named(t.blocks(f), t.top); err != nil {
			return nil, err
		}
	}
	index := func(f catalog.File, i int) ([]catalog.NamedBlock, error) {
		return t.named(t.blocks(f), handle(tops[i].Extent))
	}
	return catalog.NewIndex(f, len(tops), keep, index, t.data)
}

// blocks reads blocks of the table's open file.
func (t *table) blocks(f catalog.File) *block.Reader {
	r := new(block.Reader)
	r.Init(&diskFile{f, t.Regions.Size}, t.opts.ReaderOptions, t.checksum)
	return r
}

// data reads a data block.
func (t *table) data(f catalog.File, e region.Extent) (d catalog.Data, err error) {
	content, err := readBlock(t.blocks(f), handle(e))
	if err != nil {
		return d, err
	}
	d.Bytes = int64(len(content))
	d.Records = func(yield func(catalog.Record, error) bool) {
		iter, err := t.records(content)
		if err != nil {
			yield(catalog.Record{}, err)
			return
		}
		for kv := iter.First(); kv != nil; kv = iter.Next() {
			if !yield(catalog.Record{Key: kv.K.UserKey, Seq: uint64(kv.SeqNum()), Does: t.does(&kv.K), RawBytes: kv.K.Size() + kv.V.InternalLen()}, nil) {
				return
			}
		}
		if err := iter.Error(); err != nil {
			yield(catalog.Record{}, err)
		}
	}
	return d, nil
}

// BlockStart implements catalog.Table: the first user key of the data block.
func (t *table) BlockStart(x *catalog.Index, f catalog.File, n uint64) ([]byte, error) {
	d, err := x.Read(f, n)
	if err != nil {
		return nil, err
	}
	for r, err := range d.Records {
		return bytes.Clone(r.Key), err
	}
	return nil, fmt.Errorf("its data block %d is empty", n)
}

func (t *table) DeletedRanges(_ catalog.File, keys [][]byte, found catalog.Found) (err error) {
	if t.props.NumRangeDeletions == 0 {
		return nil
	}
	f, err := t.open.file(t.Ref)
	if err != nil {
		return err
	}
	r, err := sstable.NewReader(context.Background(), f, *t.opts)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	ranges, err := r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if err != nil || ranges == nil {
		return err
	}
	defer ranges.Close()
	for i, key := range keys {
		span, err := ranges.SeekGE(key)
		if err != nil || span == nil {
			return err
		}
		if bytes.Compare(span.Start, key) <= 0 && t.holds(key) {
			for _, k := range span.Keys {
				found(i, uint64(k.SeqNum()), catalog.DeletesRange)
			}
		}
	}
	return nil
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

func (t *table) does(k *pebble.InternalKey) catalog.Does {
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
