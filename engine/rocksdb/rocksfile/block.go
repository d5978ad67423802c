package rocksfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"getio/engine/region"
)

// readBlock reads the block in e, which includes its trailer, and returns it verified
// and decompressed.
func (f *footer) readBlock(r io.ReaderAt, e region.Extent, d *dictionary) ([]byte, error) {
	stored := make([]byte, e.End-e.Off)
	if _, err := r.ReadAt(stored, e.Off); err != nil {
		return nil, fmt.Errorf("its block at byte %d cannot be read: %w", e.Off, err)
	}
	body := len(stored) - region.TrailerLen
	if f.checksum != checksumNone && binary.LittleEndian.Uint32(stored[body+1:]) != f.checksum.of(stored[:body+1]) {
		return nil, fmt.Errorf("its block at byte %d does not have the checksum that is stored with it", e.Off)
	}
	block, err := d.unpack(stored[body], stored[:body], f.format)
	if err != nil {
		return nil, fmt.Errorf("its block at byte %d %w", e.Off, err)
	}
	return block, nil
}

const (
	word = 4 // bytes of a restart point, and of their number at the end
	// hashed marks, in the number of restart points, a data block with a hash index
	// between them and the end: a byte for each bucket, and their number in two.
	hashed = 1 << 31
)

// entries are a block's, without what follows them.
func entries(block []byte) ([]byte, error) {
	if len(block) < word {
		return nil, region.ErrEntries
	}
	end := len(block) - word
	restarts := binary.LittleEndian.Uint32(block[end:])
	if restarts&hashed != 0 {
		if restarts &^= hashed; end < 2 {
			return nil, region.ErrEntries
		}
		end -= 2 + int(binary.LittleEndian.Uint16(block[end-2:]))
	}
	if end < 0 || uint64(restarts) > uint64(end/word) {
		return nil, region.ErrEntries
	}
	return block[:end-word*int(restarts)], nil
}

// eachEntry calls each with the entries of a block in their order, as long as it asks
// for more. The key is only good until each returns. (RocksDB:
// table/block_based/block.cc, DecodeEntry)
func eachEntry(block []byte, each func(key, value []byte) (more bool)) error {
	all, err := entries(block)
	if err != nil {
		return err
	}
	return region.EachEntry(all, each)
}

// keyTrailer is how long the trailer behind a user key is: its lowest byte is the kind
// of the record, the others are the sequence number (RocksDB: db/dbformat.h).
const keyTrailer = 8

// Kinds of records that set a key, or add to it.
const (
	kindValue      = 1
	kindMerge      = 2
	kindBlob       = 17
	kindWideColumn = 22
)

// userKey is the user key of an internal key, and whether the record sets it.
func userKey(internal []byte) (key []byte, sets bool, err error) {
	n := len(internal) - keyTrailer
	if n < 0 {
		return nil, false, errors.New("has a key without a sequence number")
	}
	switch internal[n] {
	case kindValue, kindMerge, kindBlob, kindWideColumn:
		sets = true
	}
	return internal[:n], sets, nil
}
