package rocksfile

import (
	"github.com/OneOfOne/xxhash"
	"github.com/zeebo/xxh3"

	"getio/tree/blockformat"
)

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
