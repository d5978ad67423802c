// Package ldbfile decodes the files of LevelDB databases: the MANIFEST, which lists the
// tables of the tree, the write-ahead log, and the tables with their region maps. It also
// samples their keys.
//
// Measured lookups do not use it: the engine measures its own library.
package ldbfile

import (
	"errors"
	"fmt"
	"io"

	"getio/tree/blockformat"

	"github.com/golang/snappy"

	"getio/engine/catalog"
	"getio/engine/region"
)

// readBlock reads the block in e, verified and decompressed.
func readBlock(r io.ReaderAt, e region.Extent) ([]byte, error) {
	return catalog.ReadBlock(r, e, unpack)
}

// unpack verifies a stored block with its trailer, and decompresses it.
func unpack(stored []byte) ([]byte, error) {
	body := len(stored) - blockformat.TrailerLen
	if !blockformat.Intact(stored) {
		return nil, errors.New("does not have the checksum that is stored with it")
	}
	switch stored[body] {
	case blockformat.Plain:
		return stored[:body], nil
	case blockformat.Snappy:
		if n, err := snappy.DecodedLen(stored[:body]); err != nil || n > blockformat.MaxSnappyExpansion*body {
			return nil, errors.New("is not what Snappy writes")
		}
		return snappy.Decode(nil, stored[:body])
	}
	return nil, fmt.Errorf("is compressed in a way that LevelDB does not know, number %d", stored[body])
}

// Kinds of records, in the lowest byte of the trailer behind a user key, whose
// other bytes are the sequence number (goleveldb: leveldb/key.go).
const (
	kindDelete = 0
	kindSet    = 1
)

// userKey splits an internal key into its user key and the kind of the record.
func userKey(internal []byte) (key []byte, does catalog.Record, err error) {
	n := len(internal) - blockformat.KeyTrailerLen
	if n < 0 || internal[n] > kindSet {
		return nil, 0, errors.New("has a key without a sequence number, or of a kind that LevelDB does not know")
	}
	if does = catalog.Deletes; internal[n] == kindSet {
		does = catalog.Sets
	}
	return internal[:n], does, nil
}
