package region

import (
	"encoding/binary"
	"errors"
)

// What follows is of LevelDB's tables, and of those of its descendants (goleveldb:
// leveldb/table; RocksDB: table/format.cc and table/block_based/block.cc).

// Handle is where a block lies in its file, without its trailer.
type Handle struct{ Off, Length uint64 }

// DecodeHandle decodes a handle from the beginning of b. n is 0 if there is none.
func DecodeHandle(b []byte) (h Handle, n int) {
	off, n := binary.Uvarint(b)
	if n <= 0 {
		return Handle{}, 0
	}
	length, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return Handle{}, 0
	}
	return Handle{off, length}, n + m
}

// Extent is the block with its trailer. It tells whether it fits into a file of the
// given size.
func (h Handle) Extent(size int64) (e Extent, fits bool) {
	if h.Off > uint64(size) || h.Length > uint64(size) || h.Off+h.Length+TrailerLen > uint64(size) {
		return e, false
	}
	return Extent{Off: int64(h.Off), End: int64(h.Off + h.Length + TrailerLen)}, true
}

// ErrEntries is the error for a block whose entries do not decode, as an end of a sentence.
var ErrEntries = errors.New("has entries that do not decode")

// EachEntry calls each with the entries of a block, which are without its restart points, in
// their order, as long as it asks for more. The key is only good until each returns.
func EachEntry(entries []byte, each func(key, value []byte) (more bool)) error {
	var key []byte
	for rest := entries; len(rest) > 0; {
		var lengths [3]uint64 // of the key's shared and own part, and of the value
		var err error
		if rest, err = DecodeLengths(rest, lengths[:]); err != nil {
			return err
		}
		shared, own, value := lengths[0], lengths[1], lengths[2]
		if shared > uint64(len(key)) || own > uint64(len(rest)) || value > uint64(len(rest))-own {
			return ErrEntries
		}
		key = append(key[:shared], rest[:own]...)
		if !each(key, rest[own:own+value]) {
			return nil
		}
		rest = rest[own+value:]
	}
	return nil
}

// DecodeLengths decodes the lengths that an entry begins with.
func DecodeLengths(b []byte, lengths []uint64) (rest []byte, err error) {
	for i := range lengths {
		n := 0
		if lengths[i], n = binary.Uvarint(b); n <= 0 {
			return nil, ErrEntries
		}
		b = b[n:]
	}
	return b, nil
}
