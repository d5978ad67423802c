// Package ldbfile knows the files of LevelDB databases: the MANIFEST, which says
// which tables a tree has, the log, and the tables, with the region map of each,
// how its keys are sampled and where it divides the key space.
//
// It decodes them itself. Lookups are never made through it: the engine measures
// its own library.
package ldbfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/golang/snappy"

	"getio/engine/region"
)

// handle is where a block lies in its file, without its trailer.
type handle struct{ off, length uint64 }

// decodeHandle decodes a handle from the beginning of b (goleveldb:
// leveldb/table/table.go). n is 0 if there is none.
func decodeHandle(b []byte) (h handle, n int) {
	off, n := binary.Uvarint(b)
	if n <= 0 {
		return handle{}, 0
	}
	length, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return handle{}, 0
	}
	return handle{off, length}, n + m
}

// extent is the block with its trailer. It tells whether it fits into a file of
// the given size.
func (h handle) extent(size int64) (e region.Extent, fits bool) {
	if h.off > uint64(size) || h.length > uint64(size) || h.off+h.length+region.TrailerLen > uint64(size) {
		return e, false
	}
	return region.Extent{Off: int64(h.off), End: int64(h.off + h.length + region.TrailerLen)}, true
}

// Compression bytes of stored blocks (goleveldb: leveldb/table/table.go).
const (
	storedPlain  = 0
	storedSnappy = 1
)

// maxExpansion is more than Snappy expands anything by: it copies at most 64 bytes
// with a command of 3.
const maxExpansion = 22

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of b in the form in which it is stored (goleveldb:
// leveldb/util/crc32.go).
func masked(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// readBlock reads the block in e, which includes its trailer, and returns it
// verified and decompressed.
func readBlock(r io.ReaderAt, e region.Extent) ([]byte, error) {
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

// unpack verifies a stored block with its trailer, and decompresses it.
func unpack(stored []byte) ([]byte, error) {
	body := len(stored) - region.TrailerLen
	if body < 0 || binary.LittleEndian.Uint32(stored[body+1:]) != masked(stored[:body+1]) {
		return nil, errors.New("does not have the checksum that is stored with it")
	}
	switch stored[body] {
	case storedPlain:
		return stored[:body], nil
	case storedSnappy:
		if n, err := snappy.DecodedLen(stored[:body]); err != nil || n > maxExpansion*body {
			return nil, errors.New("is not what Snappy writes")
		}
		return snappy.Decode(nil, stored[:body])
	}
	return nil, fmt.Errorf("is compressed in a way that LevelDB does not know, number %d", stored[body])
}

var errEntries = errors.New("has entries that do not decode")

// eachEntry calls each with the entries of a block in their order, as long as it
// asks for more. The key is only good until each returns. (goleveldb:
// leveldb/table/reader.go, block.entry)
func eachEntry(block []byte, each func(key, value []byte) (more bool)) error {
	const word = 4 // a restart point, and their number at the end
	if len(block) < word {
		return errEntries
	}
	restarts := uint64(binary.LittleEndian.Uint32(block[len(block)-word:]))
	if restarts > uint64(len(block)/word-1) {
		return errEntries
	}
	rest := block[:len(block)-word-word*int(restarts)]
	var key []byte
	for len(rest) > 0 {
		var lengths [3]uint64 // of the key's shared and own part, and of the value
		for i := range lengths {
			n := 0
			if lengths[i], n = binary.Uvarint(rest); n <= 0 {
				return errEntries
			}
			rest = rest[n:]
		}
		shared, own, value := lengths[0], lengths[1], lengths[2]
		if shared > uint64(len(key)) || own > uint64(len(rest)) || value > uint64(len(rest))-own {
			return errEntries
		}
		key = append(key[:shared], rest[:own]...)
		if !each(key, rest[own:own+value]) {
			return nil
		}
		rest = rest[own+value:]
	}
	return nil
}

// Kinds of records, in the lowest byte of the trailer behind a user key, whose
// other bytes are the sequence number (goleveldb: leveldb/key.go).
const (
	keyTrailer = 8
	kindDelete = 0
	kindSet    = 1
)

// userKey is the user key of an internal key, and what the record does.
func userKey(internal []byte) (key []byte, kind byte, err error) {
	n := len(internal) - keyTrailer
	if n < 0 || internal[n] > kindSet {
		return nil, 0, errors.New("has a key without a sequence number, or of a kind that LevelDB does not know")
	}
	return internal[:n], internal[n], nil
}
