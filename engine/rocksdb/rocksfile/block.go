package rocksfile

import (
	"errors"
	"io"

	"getio/tree/blockformat"

	"getio/engine/catalog"
	"getio/engine/region"
)

// readBlock reads the block in e, verified and decompressed.
func (f *footer) readBlock(r io.ReaderAt, e region.Extent, d *dictionary) ([]byte, error) {
	return catalog.ReadBlock(r, e, func(stored []byte) ([]byte, error) {
		body := len(stored) - blockformat.TrailerLen
		if f.checksum != checksumNone && blockformat.StoredChecksum(stored) != f.checksum.of(stored[:body+1]) {
			return nil, errors.New("does not have the checksum that is stored with it")
		}
		return d.unpack(stored[body], stored[:body], f.format)
	})
}

// Kinds of records that set a key, or add to it.
const (
	kindValue      = 1
	kindMerge      = 2
	kindBlob       = 17
	kindWideColumn = 22
)

// userKey is the user key of an internal key, and what the record does.
func userKey(internal []byte) (key []byte, does catalog.Record, err error) {
	n := len(internal) - blockformat.KeyTrailerLen
	if n < 0 {
		return nil, 0, errors.New("has a key without a sequence number")
	}
	switch internal[n] {
	case kindValue, kindMerge, kindBlob, kindWideColumn:
		return internal[:n], catalog.Sets, nil
	}
	return internal[:n], catalog.Deletes, nil
}
