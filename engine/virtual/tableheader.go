package virtual

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"getio/engine/rowtable"
)

// A table's file begins with a header in place of its data blocks: the magic, the table's
// size, the offset of its tail, the number of index partitions, the partitions of
// partitionLen bytes each, and a checksum. Numbers are little-endian.
const (
	magic        = "getiovt1"
	fixedLen     = len(magic) + 8 + 8 + 4
	partitionLen = 8 + 8 + 4
	sumLen       = 4
)

// EncodeHeader returns the header of a table's file. It always fits in place of the data
// blocks: a data block of one record is longer than a header with one partition, and every
// further partition covers many data blocks.
func EncodeHeader(t *rowtable.Tail) []byte {
	b := append(make([]byte, 0, fixedLen+len(t.Partitions)*partitionLen+sumLen), magic...)
	b = binary.LittleEndian.AppendUint64(b, t.Size)
	b = binary.LittleEndian.AppendUint64(b, t.DataSize)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Partitions)))
	for _, p := range t.Partitions {
		b = binary.LittleEndian.AppendUint64(b, p.Data)
		b = binary.LittleEndian.AppendUint64(b, p.Index)
		b = binary.LittleEndian.AppendUint32(b, uint32(p.IndexLen))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// header is a decoded table header.
type header struct {
	size, dataSize int64
	partitions     []rowtable.Partition
}

var errDamaged = errors.New("invalid header of a virtual table: build the dataset again")

// readHeader reads the header of a table's file of the given size.
func readHeader(size int64, readAt func(p []byte, off int64) error) (*header, error) {
	if size < int64(fixedLen) {
		return nil, errDamaged
	}
	fixed := make([]byte, fixedLen)
	if err := readAt(fixed, 0); err != nil {
		return nil, err
	}
	if string(fixed[:len(magic)]) != magic {
		return nil, errDamaged
	}
	numbers := fixed[len(magic):]
	h := &header{
		size:     int64(binary.LittleEndian.Uint64(numbers)),
		dataSize: int64(binary.LittleEndian.Uint64(numbers[8:])),
	}
	n := int(binary.LittleEndian.Uint32(numbers[16:]))
	wholeLen := fixedLen + n*partitionLen + sumLen
	if int64(wholeLen) > size {
		return nil, errDamaged
	}
	whole := make([]byte, wholeLen)
	if err := readAt(whole, 0); err != nil {
		return nil, err
	}
	body, sum := whole[:len(whole)-sumLen], whole[len(whole)-sumLen:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return nil, errDamaged
	}
	if h.size != size {
		return nil, fmt.Errorf("it has %d bytes instead of %d: build the dataset again", size, h.size)
	}
	h.partitions = make([]rowtable.Partition, n)
	for i := range h.partitions {
		b := body[fixedLen+i*partitionLen:]
		h.partitions[i] = rowtable.Partition{
			Data:     binary.LittleEndian.Uint64(b),
			Index:    binary.LittleEndian.Uint64(b[8:]),
			IndexLen: uint64(binary.LittleEndian.Uint32(b[16:])),
		}
	}
	return h, nil
}
