package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"getio/engine/blockformat"
	"getio/engine/region"
)

// BlockTail is the Tail of a table in LevelDB's format or in RocksDB's, which grew from it.
type BlockTail struct{ Tail }

func (t *BlockTail) Open() (File, error) { return OpenFile(t.Ref) }

// BlockStart implements Table: a key just behind the separator of the block before.
func (t *BlockTail) BlockStart(x *Index, f File, n uint64) ([]byte, error) {
	before, err := x.At(f, n-1)
	return append(bytes.Clone(before.UpTo), 0), err
}

// ReadTail opens the table's file for read, which reads its tail.
func (t *BlockTail) ReadTail(read func(io.ReaderAt) error) error {
	f, err := OpenFile(t.Ref)
	if err != nil {
		return err
	}
	defer f.Close()
	t.Regions.Size = t.Ref.Size
	if err := read(f); err != nil {
		return fmt.Errorf("table %s: %w", t.Ref.Path, err)
	}
	return nil
}

// Place sets the extent of a block that the footer names, in a file whose blocks end at end.
func Place(e *region.Extent, h blockformat.Handle, end int64) (err error) {
	var fits bool
	if *e, fits = region.ExtentOf(h, end); !fits {
		return errors.New("its footer points past its end")
	}
	return nil
}

// EachNamed calls each with the blocks that a metaindex names, in a file whose blocks end at end.
func EachNamed(metaindex []byte, end int64, each func(name string, e region.Extent)) error {
	for entry, err := range blockformat.All(metaindex) {
		if err != nil {
			return fmt.Errorf("its metaindex %w", err)
		}
		h, n := blockformat.DecodeHandle(entry.Value)
		e, within := region.ExtentOf(h, end)
		if n == 0 || !within {
			return errors.New("its metaindex points past its end")
		}
		each(string(entry.Key), e)
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

// DataOf is the data block at off, whose entries are records. userKey splits their keys.
func DataOf(block []byte, off int64, userKey func(internal []byte) (key []byte, does Does, err error)) Data {
	return Data{Bytes: int64(len(block)), Records: func(yield func(Record, error) bool) {
		for entry, err := range blockformat.All(block) {
			var r Record
			if err == nil {
				r.Key, r.Does, err = userKey(entry.Key)
			}
			if err != nil {
				yield(r, fmt.Errorf("its block at byte %d %w", off, err))
				return
			}
			r.Seq, r.RawBytes = blockformat.Sequence(entry.Key), len(entry.Key)+len(entry.Value)
			if !yield(r, nil) {
				return
			}
		}
	}}
}
