// Package blockformat is the table file format that LevelDB, RocksDB and Pebble share: blocks, block
// handles, footers, Bloom filters, and the checksums of blocks. Newer footers of RocksDB contain a
// checksum too, which package rocksfile checks. Pebble's footers are checked by Pebble itself.
//
// A table file:
//
//	data block 1
//	...
//	data block N
//	filter                one block; some libraries write it elsewhere
//	second-level index    one or more blocks, if the index has two levels
//	top index             names the data blocks, or the second-level index blocks
//	properties            names and values; not in LevelDB
//	metaindex             names the filter, the properties and further blocks
//	footer                names the metaindex and the top index
//
// A block as it is stored, which a handle names by the offset and the length of its contents:
//
//	contents              perhaps compressed
//	compression           1 byte      \ trailer, 5 bytes
//	checksum              4 bytes     / of contents and compression
//
// The contents of a block of entries, before compression:
//
//	entry                 shared, unshared, value length (varints); key[shared:]; value
//	...
//	restart points        4 bytes each: offsets of entries that share nothing
//	number of restarts    4 bytes
//
// A key in data and index blocks is an internal key: the user key and 8 bytes, of which
// the lowest is the kind of the record and the others its sequence number.
//
// A footer, of LevelDB (48 bytes) and of RocksDB and Pebble (53 bytes; Pebble's newest
// formats append 8 bytes of attributes and checksum after the handles):
//
//	LevelDB   handles (metaindex, index), padded to 40 bytes; magic (8)
//	RocksDB   checksum kind (1); handles, padded to 40 bytes; version (4); magic (8)
//
// From version 6 on, RocksDB's footer has other contents instead of the handles
// (engine/rocksdb/rocksfile).
//
// (LevelDB: doc/table_format.md, table/format.h; RocksDB: table/format.cc; Pebble:
// sstable/table.go.)
package blockformat

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"iter"
	"math/bits"
)

const (
	// TrailerLen is the length of the compression byte and the checksum behind a block.
	TrailerLen = 5
	// ChecksumLen is the length of the checksum alone.
	ChecksumLen = 4
	// KeyTrailerLen is the length of the sequence number and kind behind a user key.
	KeyTrailerLen = 8
	// RestartLen is the length of a restart point, and of their number.
	RestartLen = 4
)

// Footers.
const (
	LevelDBFooterLen = 48
	RocksDBFooterLen = 53
	// MaxFooterLen is the length of the longest footer, Pebble v2's.
	MaxFooterLen = 61

	MagicLen   = 8
	VersionLen = 4

	LevelDBMagic = 0xdb4775248b80fb57
	RocksDBMagic = 0x88e241b785f4cff7
)

// Compression bytes of stored blocks. LevelDB knows the first two, Pebble also Zstd and
// MinLZ (Pebble: sstable/block/compression.go; RocksDB: include/rocksdb/compression_type.h).
const (
	Plain  = 0
	Snappy = 1
	Zlib   = 2
	BZip2  = 3
	LZ4    = 4
	LZ4HC  = 5
	Zstd   = 7
)

// MaxSnappyExpansion is more than Snappy expands anything by: a command of 3 bytes copies
// at most 64.
const MaxSnappyExpansion = 22

// Handle names a block: its offset in the file and the length of its contents, without
// the trailer. It is stored as two varints.
type Handle struct{ Off, Length uint64 }

// DecodeHandle decodes a handle from the beginning of b. n is the number of bytes it
// takes, 0 if b does not begin with a handle.
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

// Append appends the stored form of the handle.
func (h Handle) Append(dst []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, h.Off), h.Length)
}

// Within reports whether the block with its trailer ends within the first size bytes.
func (h Handle) Within(size int64) bool {
	n := uint64(size)
	return h.Off <= n && h.Length <= n && h.Off+h.Length+TrailerLen <= n
}

// End is where the block's trailer ends.
func (h Handle) End() uint64 { return h.Off + h.Length + TrailerLen }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the masked CRC-32C of a block with its compression byte, as it is stored.
// The mask keeps the CRC of data that hold CRCs a good one (LevelDB: util/crc32c.h).
func Checksum(b []byte) uint32 {
	return bits.RotateLeft32(crc32.Checksum(b, castagnoli), -15) + 0xa282ead8
}

// StoredChecksum is the checksum at the end of a stored block.
func StoredChecksum(stored []byte) uint32 {
	return binary.LittleEndian.Uint32(stored[len(stored)-ChecksumLen:])
}

// Intact reports whether a stored block has the CRC-32C that its trailer states.
func Intact(stored []byte) bool {
	return len(stored) >= TrailerLen && StoredChecksum(stored) == Checksum(stored[:len(stored)-ChecksumLen])
}

// AppendTrailer closes the block that begins at dst[from:] with its trailer.
func AppendTrailer(dst []byte, from int, compression byte) []byte {
	dst = append(dst, compression)
	return binary.LittleEndian.AppendUint32(dst, Checksum(dst[from:]))
}

// ErrEntries is the error for a block whose entries do not decode, as an end of a sentence.
var ErrEntries = errors.New("has entries that do not decode")

// hashIndex marks, in the number of restart points, a data block of RocksDB with a hash
// index between them and that number: a byte for each bucket, and 2 bytes with the number
// of buckets (RocksDB: table/block_based/data_block_footer.cc).
const hashIndex = 1 << 31

// uniformKeys marks, in the same number, an index block in which interpolation finds keys fast (RocksDB 11).
const uniformKeys = 1 << 29

// Entries splits the contents of a block into its entries and its restart points.
func Entries(block []byte) (entries, restarts []byte, err error) {
	if len(block) < RestartLen {
		return nil, nil, ErrEntries
	}
	end := len(block) - RestartLen
	n := binary.LittleEndian.Uint32(block[end:]) &^ uniformKeys
	if n&hashIndex != 0 {
		if n &^= hashIndex; end < 2 {
			return nil, nil, ErrEntries
		}
		end -= 2 + int(binary.LittleEndian.Uint16(block[end-2:]))
	}
	if end < 0 || uint64(n) > uint64(end/RestartLen) {
		return nil, nil, ErrEntries
	}
	at := end - RestartLen*int(n)
	return block[:at], block[at:end], nil
}

// AppendRestarts closes the contents of a block with its restart points.
func AppendRestarts(dst []byte, restarts []uint32) []byte {
	for _, at := range restarts {
		dst = binary.LittleEndian.AppendUint32(dst, at)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(len(restarts)))
}

// RestartsLen is what AppendRestarts appends for n restart points.
func RestartsLen(n int) int { return RestartLen * (n + 1) }

// Entry is an entry of a block.
type Entry struct{ Key, Value []byte }

// All yields the entries of a block in their order. A key is valid only until the next one.
func All(block []byte) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		rest, _, err := Entries(block)
		var key []byte
		for err == nil && len(rest) > 0 {
			var lengths [3]uint64 // of the key's shared and unshared part, and of the value
			if rest, err = DecodeLengths(rest, lengths[:]); err != nil {
				break
			}
			shared, unshared, value := lengths[0], lengths[1], lengths[2]
			if shared > uint64(len(key)) || unshared > uint64(len(rest)) || value > uint64(len(rest))-unshared {
				err = ErrEntries
				break
			}
			key = append(key[:shared], rest[:unshared]...)
			if !yield(Entry{key, rest[unshared : unshared+value]}, nil) {
				return
			}
			rest = rest[unshared+value:]
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// DecodeLengths decodes the lengths at the beginning of an entry.
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

// Sequence returns the sequence number of an internal key, 0 if it has none.
func Sequence(internal []byte) uint64 {
	n := len(internal) - KeyTrailerLen
	if n < 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(internal[n:]) >> 8
}
