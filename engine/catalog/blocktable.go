package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/region"
)

// BlockTail is the Tail of a table in LevelDB's format or in RocksDB's, which grew from it.
type BlockTail struct{ Tail }

// Open implements Table.
func (t *BlockTail) Open() (File, error) { return OpenFile(t.Ref) }

// EntryBytes implements Table: an extent, a key, and a count of records.
func (t *BlockTail) EntryBytes() int64 { return 80 }

// ReadTail opens the table's file for read, which reads its tail.
func (t *BlockTail) ReadTail(read func(io.ReaderAt) error) error {
	f, err := OpenFile(t.Ref)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("table %s: %w", t.Ref.Path, err)
	}
	return nil
}

var errPastEnd = errors.New("its footer points past its end")

// PlaceMetaIndex places the metaindex that the footer names, in a file whose blocks end at end.
func (t *BlockTail) PlaceMetaIndex(h blockformat.Handle, end int64) error {
	t.Regions.Size = t.Ref.Size
	return placeNamed(&t.Regions.MetaIndex, h, end)
}

// PlaceIndex places the index that the footer names, in a file whose blocks end at end.
func (t *BlockTail) PlaceIndex(h blockformat.Handle, end int64) error {
	return placeNamed(&t.Regions.TopIndex, h, end)
}

func placeNamed(e *region.Extent, h blockformat.Handle, end int64) error {
	var fits bool
	if *e, fits = region.ExtentOf(h, end); !fits {
		return errPastEnd
	}
	return nil
}

// EachNamed calls each with the blocks that a metaindex names, in a file whose blocks end at end.
func EachNamed(metaindex []byte, end int64, each func(name string, e region.Extent)) error {
	fits := true
	err := blockformat.EachEntry(metaindex, func(key, value []byte) bool {
		h, n := blockformat.DecodeHandle(value)
		e, within := region.ExtentOf(h, end)
		if fits = n > 0 && within; fits {
			each(string(key), e)
		}
		return fits
	})
	if err != nil {
		return fmt.Errorf("its metaindex %w", err)
	}
	if !fits {
		return errors.New("its metaindex points past its end")
	}
	return nil
}

// ReadBlock reads the block in e, which includes its trailer, and returns it unpacked: verified
// and decompressed.
func ReadBlock(r io.ReaderAt, e region.Extent, unpack func(stored []byte) ([]byte, error)) ([]byte, error) {
	stored := make([]byte, e.End-e.Off)
	if _, err := r.ReadAt(stored, e.Off); err != nil {
		return nil, fmt.Errorf("its block at byte %d cannot be read: %w", e.Off, err)
	}
	block, err := unpack(stored)
	if err != nil {
		return nil, fmt.Errorf("its block at byte %d %w", e.Off, err)
	}
	return block, nil
}

// NamedBlock is a block that an index entry names.
type NamedBlock struct {
	Extent region.Extent
	UpTo   []byte // user key at or above all its keys
}

// BlockIndex is the Index of a table whose data blocks hold entries.
type BlockIndex struct {
	*BlockList[NamedBlock]
	// Block reads a data block.
	Block func(r io.ReaderAt, e region.Extent) ([]byte, error)
	// UserKey splits an internal key.
	UserKey func(internal []byte) (key []byte, does Record, err error)
}

// Read implements Index.
func (x *BlockIndex) Read(f File, n uint64, use func(Records) error) error {
	b, err := x.At(f, n)
	if err != nil {
		return err
	}
	block, err := x.Block(f, b.Extent)
	if err != nil {
		return err
	}
	return use(func(each func(key []byte, does Record) (more bool)) error {
		var wrong error
		err := blockformat.EachEntry(block, func(internal, _ []byte) bool {
			key, does, err := x.UserKey(internal)
			wrong = err
			return err == nil && each(key, does)
		})
		return errors.Join(err, wrong)
	})
}

// Measure implements Index.
func (x *BlockIndex) Measure(f File, n uint64) (b engine.DataBlock, err error) {
	named, err := x.At(f, n)
	if err != nil {
		return b, err
	}
	block, err := x.Block(f, named.Extent)
	if err != nil {
		return b, err
	}
	b.Bytes, b.Stored = int64(len(block)), named.Extent.End-named.Extent.Off
	err = blockformat.EachEntry(block, func(key, value []byte) bool {
		b.Records++
		b.RawBytes += int64(len(key) + len(value))
		return true
	})
	if err != nil {
		return b, fmt.Errorf("its data block %d: %w", n, err)
	}
	return b, nil
}

// Start implements Index: a key just behind the separator of the block before.
func (x *BlockIndex) Start(f File, n uint64) ([]byte, error) {
	before, err := x.At(f, n-1)
	return append(bytes.Clone(before.UpTo), 0), err
}

// Find implements Index.
func (x *BlockIndex) Find(f File, keys [][]byte, found func(i int)) error {
	return x.History(f, keys, func(i int, _ uint64, _ Record) { found(i) })
}

// History is Table.History but for deleted ranges. It reads each data block once. The index keeps its entries.
func (x *BlockIndex) History(f File, keys [][]byte, found func(i int, seq uint64, does Record)) error {
	n := 0
	for i := 0; i < len(keys); n++ {
		n += sort.Search(len(x.all)-n, func(k int) bool { return bytes.Compare(x.all[n+k].UpTo, keys[i]) >= 0 })
		if n == len(x.all) {
			return nil
		}
		var err error
		if i, err = x.historyIn(f, n, keys, i, found); err != nil {
			return err
		}
	}
	return nil
}

// historyIn finds records of keys from i on in data block n. It returns the first key of which the next block may have
// records.
func (x *BlockIndex) historyIn(f File, n int, keys [][]byte, i int, found func(i int, seq uint64, does Record)) (int, error) {
	block, err := x.Block(f, x.all[n].Extent)
	if err != nil {
		return i, err
	}
	var wrong error
	err = blockformat.EachEntry(block, func(internal, _ []byte) bool {
		key, does, err := x.UserKey(internal)
		if wrong = err; err != nil {
			return false
		}
		for i < len(keys) && bytes.Compare(keys[i], key) < 0 {
			i++
		}
		for same := i; same < len(keys) && bytes.Equal(keys[same], key); same++ {
			found(same, blockformat.Sequence(internal), does)
		}
		return i < len(keys)
	})
	for i < len(keys) && bytes.Compare(keys[i], x.all[n].UpTo) < 0 {
		i++
	}
	return i, errors.Join(err, wrong)
}

// HistoryInBlocks is Table.History for tables whose index is a BlockIndex, without deleted ranges.
func HistoryInBlocks(t Table, keys [][]byte, found func(i int, seq uint64, does Record)) error {
	return inIndex(t, func(f File, index Index) error { return index.(*BlockIndex).History(f, keys, found) })
}
