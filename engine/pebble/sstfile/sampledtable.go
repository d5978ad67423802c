package sstfile

import (
	"bytes"
	"errors"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/sstable/rowblk"

	"getio/engine/sampling"
)

// sampledTable is what drawing from one table needs.
type sampledTable struct {
	*table
	sampler *Sampler
	once    sync.Once
	err     error

	indexes []block.Handle // of the index blocks that name data blocks
	upTo    []uint64       // upTo[i] data blocks are named by indexes[0..i]
	slots   uint64         // records of its fullest blocks, as far as probed

	// Only if the sampler remembers:
	file    *diskFile
	data    []block.Handle  // of the data blocks
	records []atomic.Uint32 // per data block, plus one; 0 if it was not read yet
}

func (t *sampledTable) dataBlocks() uint64 { return t.upTo[len(t.upTo)-1] }

// known tells how many records data block n has, if that was learnt.
func (t *sampledTable) known(n uint64) (records int, ok bool) {
	if t.records == nil {
		return 0, false
	}
	r := t.records[n].Load()
	return int(r) - 1, r > 0
}

// openTable is a sampled table's file, open for reading blocks.
type openTable struct {
	*sampledTable
	file   *diskFile
	blocks block.Reader
}

func (t *sampledTable) open() (*openTable, error) {
	f := t.file
	if f == nil {
		var err error
		if f, err = t.sampler.catalog.open.file(t.ref); err != nil {
			return nil, err
		}
	}
	o := &openTable{sampledTable: t, file: f}
	o.blocks.Init(f, t.sampler.opts.ReaderOptions, t.checksum)
	return o, nil
}

func (o *openTable) release() {
	if o.file != o.sampledTable.file {
		o.file.Close()
	}
}

// prepare reads the table's index blocks and probes how full its data blocks
// are.
func (t *sampledTable) prepare() error {
	file, err := t.open()
	if err != nil {
		return err
	}
	defer file.release()
	t.indexes = []block.Handle{t.top}
	if t.twoLevel {
		if t.indexes, err = t.handles(&file.blocks, t.top); err != nil {
			return err
		}
	}
	var sum uint64
	for _, bh := range t.indexes {
		data, err := t.handles(&file.blocks, bh)
		if err != nil {
			return err
		}
		sum += uint64(len(data))
		t.upTo = append(t.upTo, sum)
		if t.sampler.remember {
			t.data = append(t.data, data...)
		}
	}
	if sum == 0 {
		return errors.New("its index names no data block")
	}
	if t.sampler.remember {
		t.records = make([]atomic.Uint32, sum)
		t.file = file.file
	}
	return t.probe(file)
}

func (t *sampledTable) probe(file *openTable) error {
	probes := min(t.dataBlocks(), fullnessProbes)
	for p := range probes {
		_, _, records, err := file.record(p*t.dataBlocks()/probes, 0, nil)
		if err != nil {
			return err
		}
		t.slots = max(t.slots, uint64(records))
	}
	return nil
}

// record draws a slot of data block n by the random number r and appends the
// user key of its record to dst. taken is false if the slot is empty, or its
// record outside a virtual table's bounds; the key is also nil if the record
// deletes. records is how many the block has.
func (o *openTable) record(n, r uint64, dst []byte) (key []byte, taken bool, records int, err error) {
	err = o.inBlock(n, func(iter block.DataBlockIterator) error {
		if records, err = o.count(n, iter); err != nil {
			return err
		}
		slot := o.slot(r, records)
		if slot >= records {
			return nil
		}
		kv := iter.First()
		for range slot {
			kv = iter.Next()
		}
		if kv == nil || !o.holds(kv.K.UserKey) {
			return iter.Error()
		}
		if taken = true; sets(kv.K.Kind()) {
			key = append(dst[:0], kv.K.UserKey...)
		}
		return nil
	})
	return key, taken, records, err
}

// count is how many records data block n has, which the iterator is of.
func (o *openTable) count(n uint64, iter block.DataBlockIterator) (records int, err error) {
	if records, ok := o.known(n); ok {
		return records, nil
	}
	for kv := iter.First(); kv != nil; kv = iter.Next() {
		records++
	}
	if err := iter.Error(); err != nil {
		return 0, err
	}
	if o.records != nil {
		o.records[n].Store(uint32(records) + 1)
	}
	return records, nil
}

// inBlock does something with the records of data block n.
func (o *openTable) inBlock(n uint64, do func(block.DataBlockIterator) error) error {
	bh, err := o.block(n)
	if err != nil {
		return err
	}
	b, err := readBlock(&o.blocks, bh)
	if err != nil {
		return err
	}
	defer b.Release()
	iter, err := o.dataIter(b.BlockData())
	if err != nil {
		return err
	}
	return do(iter)
}

// slot draws one of the table's slots, or of the block's records if it is
// fuller than any block that was probed.
func (t *sampledTable) slot(r uint64, records int) int {
	return int(sampling.Below(r, max(t.slots, uint64(records))))
}

// block finds the table's n-th data block.
func (o *openTable) block(n uint64) (block.Handle, error) {
	if o.data != nil {
		return o.data[n], nil
	}
	i := sort.Search(len(o.upTo), func(i int) bool { return o.upTo[i] > n })
	data, err := o.handles(&o.blocks, o.indexes[i])
	if err != nil {
		return block.Handle{}, err
	}
	return data[n-(o.upTo[i]-uint64(len(data)))], nil
}

func (o *openTable) dataIter(data []byte) (block.DataBlockIterator, error) {
	c := pebble.DefaultComparer
	if !o.format.BlockColumnar() {
		iter := new(rowblk.Iter)
		return iter, iter.Init(c.Compare, c.ComparePointSuffixes, c.Split, data, block.NoTransforms)
	}
	schema := &o.sampler.schema
	var decoder colblk.DataBlockDecoder
	decoder.Init(schema, data)
	iter := new(colblk.DataBlockIter)
	iter.InitOnce(schema, c, nil)
	return iter, iter.Init(&decoder, block.NoTransforms)
}

func sets(kind pebble.InternalKeyKind) bool {
	switch kind {
	case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete, pebble.InternalKeyKindMerge:
		return true
	}
	return false
}

// holds tells whether a virtual table's bounds hold the key.
func (t *table) holds(key []byte) bool {
	if !t.ref.Virtual {
		return true
	}
	end := bytes.Compare(key, t.ref.Largest)
	return bytes.Compare(key, t.ref.Smallest) >= 0 && (end < 0 || end == 0 && !t.ref.LargestExclusive)
}
