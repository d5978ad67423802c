package pebbledb

import (
	"encoding/binary"
	"slices"

	"getio/engine"
)

// Tags of the fields of a version edit, in an encoding that both libraries write and read
// (Pebble: internal/manifest/version_edit.go).
const (
	tagNextFileNumber = 3
	tagLastSequence   = 4
	tagNewFile2       = 100
)

// kindSet is the kind of a record that sets a key (Pebble:
// internal/base/internal.go).
const kindSet = 1

// Trailer returns the trailer of a key in tables and bounds: sequence number and kind.
func Trailer(seq uint64) uint64 { return seq<<8 | kindSet }

// VersionEdit encodes the MANIFEST record that adds the tables to an empty tree. The next
// file number and the last sequence number follow from the tables. The record has no
// creation times, which neither library reads, so that equal trees have equal MANIFESTs.
func VersionEdit(tables []engine.BuiltTable) []byte {
	next, last := uint64(FirstTable), uint64(0)
	for _, t := range tables {
		next, last = max(next, t.File+1), max(last, t.LargestSeq)
	}
	edit := appendUvarints(nil, tagNextFileNumber, next, tagLastSequence, last)
	for _, t := range tables {
		edit = slices.Grow(edit, 64+len(t.Smallest.Key)+len(t.Largest.Key))
		edit = appendUvarints(edit, tagNewFile2, uint64(t.Level), t.File, uint64(t.Size))
		edit = appendKey(edit, t.Smallest)
		edit = appendKey(edit, t.Largest)
		edit = appendUvarints(edit, t.SmallestSeq, t.LargestSeq)
	}
	return edit
}

func appendUvarints(dst []byte, values ...uint64) []byte {
	for _, v := range values {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

func appendKey(dst []byte, k engine.BuiltKey) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(k.Key)+8))
	dst = append(dst, k.Key...)
	return binary.LittleEndian.AppendUint64(dst, Trailer(k.Seq))
}
