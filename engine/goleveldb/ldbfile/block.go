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

// eachEntry calls each with the entries of a block in their order, as long as it
// asks for more. The key is only good until each returns. (goleveldb:
// leveldb/table/reader.go, block.entry)
func eachEntry(block []byte, each func(key, value []byte) (more bool)) error {
	const word = 4 // a restart point, and their number at the end
	if len(block) < word {
		return region.ErrEntries
	}
	restarts := uint64(binary.LittleEndian.Uint32(block[len(block)-word:]))
	if restarts > uint64(len(block)/word-1) {
		return region.ErrEntries
	}
	return region.EachEntry(block[:len(block)-word-word*int(restarts)], each)
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
