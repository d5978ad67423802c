package rocksfile

import (
	"bytes"
	"errors"
	"io"

	"github.com/OneOfOne/xxhash"
	"github.com/zeebo/xxh3"

	"getio/engine/blockformat"
	"getio/engine/catalog"
	"getio/engine/region"
)

// ErrChecksum is the error of a block that does not match its checksum.
var ErrChecksum = errors.New("does not match its checksum")

// readBlock reads the block in e, verified and decompressed.
func (t *table) readBlock(r io.ReaderAt, e region.Extent, d *dictionary) ([]byte, error) {
	return catalog.ReadBlock(r, e, func(stored []byte) ([]byte, error) {
		if err := t.verify(e.Off, stored); err != nil {
			return nil, err
		}
		body := len(stored) - blockformat.TrailerLen
		return d.unpack(stored[body], stored[:body], t.footer.format)
	})
}

// propertyGlobalSeq is the property of a table written to be ingested that gives all its records one sequence number.
const propertyGlobalSeq = "rocksdb.external_sst_file.global_seqno"

// verify compares the stored block at off with the checksum in its trailer. With write_global_seqno, RocksDB writes a
// sequence number into the properties of a table that it ingests, and leaves the checksum of the 0 that was there
// (RocksDB: table/meta_blocks.cc, ReadTablePropertiesHelper).
func (t *table) verify(off int64, stored []byte) error {
	err := t.footer.verify(off, stored)
	if err == nil || off != t.Regions.Properties.Off {
		return err
	}
	written := bytes.Clone(stored)
	for entry, err := range blockformat.All(written[:len(stored)-blockformat.TrailerLen]) {
		if err != nil {
			return ErrChecksum
		}
		if string(entry.Key) == propertyGlobalSeq && len(entry.Value) == 8 {
			clear(entry.Value)
		}
	}
	return t.footer.verify(off, written)
}

// Kinds of records that set a key, or add to its value.
const (
	kindValue      = 1
	kindMerge      = 2
	kindBlob       = 17
	kindWideColumn = 22
	kindTimed      = 24 // a value and when it was written, since RocksDB 8.9
)

// userKey is the user key of an internal key, and what the record does.
func userKey(internal []byte) (key []byte, does catalog.Does, err error) {
	n := len(internal) - blockformat.KeyTrailerLen
	if n < 0 {
		return nil, 0, errors.New("has a key without a sequence number")
	}
	switch internal[n] {
	case kindMerge:
		return internal[:n], catalog.Merges, nil
	case kindValue, kindBlob, kindWideColumn, kindTimed:
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

// checksumContext sets the checksums of a table apart from those of all others, and from
// each other by the offset of what they cover. It is 0 before format 6.
type checksumContext uint32

// at returns what is added to the checksum of what lies at off (RocksDB 10.4: table/format.h,
// ChecksumModifierForContext).
func (c checksumContext) at(off int64) uint32 {
	if c == 0 {
		return 0
	}
	return uint32(c) ^ (uint32(off) + uint32(off>>32))
}

// verify compares the stored block at off with the checksum in its trailer.
func (f *footer) verify(off int64, stored []byte) error {
	if f.checksum == checksumNone && f.context == 0 {
		return nil
	}
	checked := len(stored) - blockformat.TrailerLen + 1
	if blockformat.StoredChecksum(stored) != f.checksum.of(stored[:checked])+f.context.at(off) {
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
