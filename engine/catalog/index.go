package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"sort"

	"getio/engine"
	"getio/engine/region"
)

// File is a table's file, open for reading. It is safe for concurrent use.
type File interface {
	io.ReaderAt
	io.Closer
}

// NamedBlock is a block that an index entry names.
type NamedBlock struct {
	Extent region.Extent
	UpTo   []byte // user key at or above all its keys
}

// Data is a data block that was read.
type Data struct {
	Bytes int64 // uncompressed
	// Records yields the records in their order. A key is valid only until the next one.
	Records iter.Seq2[Record, error]
}

// Record is a record of a data block.
type Record struct {
	Key      []byte // the user key
	Seq      uint64
	Does     Does
	RawBytes int // of the key, with its trailer, and the value
}

// Does is what a record does.
type Does int

const (
	// emptySlot is where a block has no record.
	emptySlot Does = iota
	// Deletes is a record that deletes its key.
	Deletes
	// DeletesRange is a record that deletes all keys of a range. It is in no data block.
	DeletesRange
	// Sets is a record that sets its key.
	Sets
	// Merges is a record that adds to its key's value.
	Merges
	// Outside is a record outside the bounds of a virtual table.
	Outside
	// older is a record that follows a newer one of its key in the same table.
	older
)

// Found is called with a record of a key, or a deleted range that it is in: the place of the key, the record's sequence
// number, and what it does.
type Found func(i int, seq uint64, does Does)

// Index knows where the data blocks of a table are, and reads them. The index of the table may be divided into several
// blocks. It is safe for concurrent use.
type Index struct {
	block func(f File, i int) ([]NamedBlock, error) // index block i
	data  func(f File, e region.Extent) (Data, error)
	upTo  []uint64     // upTo[i] data blocks are named by index blocks 0 to i
	all   []NamedBlock // all data blocks, if they are kept
}

// NewIndex reads the given number of index blocks with block. data reads a data block.
func NewIndex(f File, blocks int, keep bool, block func(File, int) ([]NamedBlock, error), data func(File, region.Extent) (Data, error)) (*Index, error) {
	x := &Index{block: block, data: data}
	for i := range blocks {
		list, err := block(f, i)
		if err != nil {
			return nil, err
		}
		x.upTo = appendSum(x.upTo, uint64(len(list)))
		if keep {
			x.all = append(x.all, list...)
		}
	}
	return x, nil
}

// Len is the number of data blocks that the index names.
func (x *Index) Len() uint64 {
	if len(x.upTo) == 0 {
		return 0
	}
	return x.upTo[len(x.upTo)-1]
}

// At returns where data block n is.
func (x *Index) At(f File, n uint64) (b NamedBlock, err error) {
	if n >= x.Len() {
		return b, fmt.Errorf("its index lists %d data blocks, but its properties state more", x.Len())
	}
	if x.all != nil {
		return x.all[n], nil
	}
	i := sort.Search(len(x.upTo), func(i int) bool { return x.upTo[i] > n })
	list, err := x.block(f, i)
	if err != nil {
		return b, err
	}
	at := int(n) - int(x.upTo[i]) + len(list)
	if at < 0 || at >= len(list) {
		return b, errors.New("its index has changed since it was inspected: the database was changed meanwhile, run the command again")
	}
	return list[at], nil
}

// Read reads data block n.
func (x *Index) Read(f File, n uint64) (d Data, err error) {
	b, err := x.At(f, n)
	if err != nil {
		return d, err
	}
	return x.data(f, b.Extent)
}

// Measure says what data block n holds.
func (x *Index) Measure(f File, n uint64) (b engine.DataBlock, err error) {
	named, err := x.At(f, n)
	if err != nil {
		return b, err
	}
	d, err := x.data(f, named.Extent)
	if err != nil {
		return b, err
	}
	b.Bytes, b.Stored = d.Bytes, named.Extent.End-named.Extent.Off
	for r, err := range d.Records {
		if err != nil {
			return b, err
		}
		b.Records++
		b.RawBytes += int64(r.RawBytes)
	}
	return b, nil
}

// History calls found with each record of some keys, which are in order. It reads each data block once. The index keeps
// its entries.
func (x *Index) History(f File, keys [][]byte, found Found) error {
	n := 0
	for i := 0; i < len(keys); n++ {
		n += sort.Search(len(x.all)-n, func(k int) bool { return bytes.Compare(x.all[n+k].UpTo, keys[i]) >= 0 })
		if n == len(x.all) {
			return nil
		}
		d, err := x.data(f, x.all[n].Extent)
		if err == nil {
			i, err = d.history(keys, i, found)
		}
		if err != nil {
			return err
		}
		for i < len(keys) && bytes.Compare(keys[i], x.all[n].UpTo) < 0 {
			i++ // the next block has no records of it
		}
	}
	return nil
}

// history finds records of keys from i on. It returns the first key beyond all those that it came across.
func (d Data) history(keys [][]byte, i int, found Found) (int, error) {
	for r, err := range d.Records {
		if err != nil {
			return i, err
		}
		for i < len(keys) && bytes.Compare(keys[i], r.Key) < 0 {
			i++
		}
		if i == len(keys) {
			break
		}
		for same := i; r.Does != Outside && same < len(keys) && bytes.Equal(keys[same], r.Key); same++ {
			found(same, r.Seq, r.Does)
		}
	}
	return i, nil
}

// inIndex calls use with a table's file and index.
func inIndex(t Table, use func(File, *Index) error) error {
	f, err := t.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	index, err := t.ReadIndex(f, true)
	if err != nil {
		return err
	}
	return use(f, index)
}
