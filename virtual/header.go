package virtual

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"getio/rowtable"
)

// A table's file begins, where its data blocks would be, with what it takes to
// find a data block: the magic, the table's size, where its tail begins, the
// number of partitions, each of them, and a checksum. Numbers are little-endian;
// a partition takes partitionLen bytes.
const (
	magic        = "getiovt1"
	fixedLen     = len(magic) + 8 + 8 + 4
	partitionLen = 8 + 8 + 4
	sumLen       = 4
)

// ErrTooSmall is the error of a table whose data blocks leave no room for its
// header: one of a few records with next to no bytes.
var ErrTooSmall = errors.New("a table is too small to be virtual")

// Header is what a table's file begins with.
func Header(t *rowtable.Tail) ([]byte, error) {
	n := fixedLen + len(t.Partitions)*partitionLen + sumLen
	if uint64(n) > t.DataSize {
		return nil, fmt.Errorf("%w: its %d bytes of records have no room for %d bytes: take larger values", ErrTooSmall, t.DataSize, n)
	}
	b := append(make([]byte, 0, n), magic...)
	b = binary.LittleEndian.AppendUint64(b, t.Size)
	b = binary.LittleEndian.AppendUint64(b, t.DataSize)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Partitions)))
	for _, p := range t.Partitions {
		b = binary.LittleEndian.AppendUint64(b, p.Data)
		b = binary.LittleEndian.AppendUint64(b, p.Index)
		b = binary.LittleEndian.AppendUint32(b, uint32(p.IndexLen))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// header is a Header that was read.
type header struct {
	size, dataSize int64
	partitions     []rowtable.Partition
}

var errDamaged = errors.New("it does not begin as a virtual table: build the dataset again")

// readHeader reads the header of a table's file.
func readHeader(readAt func(p []byte, off int64) error) (*header, error) {
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
	if n == 0 || int64(n) > h.dataSize/partitionLen || h.dataSize > h.size {
		return nil, errDamaged
	}
	whole := make([]byte, fixedLen+n*partitionLen+sumLen)
	if err := readAt(whole, 0); err != nil {
		return nil, err
	}
	body, sum := whole[:len(whole)-sumLen], whole[len(whole)-sumLen:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return nil, errDamaged
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
