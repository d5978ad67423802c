package rocksfile

import (
	"errors"
	"io"

	"github.com/OneOfOne/xxhash"
	"github.com/zeebo/xxh3"

	"getio/engine/catalog"
	"getio/engine/region"
	"getio/tree/blockformat"
)

// ErrChecksum is the error of a block that does not match its checksum.
var ErrChecksum = errors.New("does not match its checksum")

// readBlock reads the block in e, verified and decompressed.
func (f *footer) readBlock(r io.ReaderAt, e region.Extent, d *dictionary) ([]byte, error) {
	return catalog.ReadBlock(r, e, func(stored []byte) ([]byte, error) {
		if err := f.checksum.verify(stored); err != nil {
			return nil, err
		}
		body := len(stored) - blockformat.TrailerLen
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

// checksumKind is the checksum algorithm of the blocks. A checksum covers a block and its
// compression byte (RocksDB: include/rocksdb/table.h, ChecksumType).
type checksumKind byte

const (
	checksumNone checksumKind = iota
	checksumCRC32C
	checksumXXH32
	checksumXXH64
	checksumXXH3
	newestChecksum = checksumXXH3
)

// verify compares a stored block with the checksum in its trailer.
func (k checksumKind) verify(stored []byte) error {
	checked := len(stored) - blockformat.TrailerLen + 1
	if k != checksumNone && blockformat.StoredChecksum(stored) != k.of(stored[:checked]) {
		return ErrChecksum
	}
	return nil
}

// of returns the stored checksum of a block with its compression byte (RocksDB:
// table/format.cc, ComputeBuiltinChecksum).
func (k checksumKind) of(b []byte) uint32 {
	switch k {
	case checksumCRC32C:
		return blockformat.Checksum(b)
	case checksumXXH32:
		return xxhash.Checksum32(b)
	case checksumXXH64:
		return uint32(xxhash.Checksum64(b))
	case checksumXXH3:
		last := len(b) - 1
		return uint32(xxh3.Hash(b[:last])) ^ uint32(b[last])*0x6b9083d9
	}
	return 0
}
