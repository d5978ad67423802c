// Package rowtable writes table files (sstables) in the row format of the
// LevelDB family, as both versions of Pebble write it: records of keys of 32
// bytes that are set, each once. The bytes are those of the library's own writer.
//
// It writes whole tables, table tails without the data blocks before them, of
// which then only the lengths are worked out, and single data blocks.
//
// A table is, in order: data blocks, the filter, second-level index blocks, the
// top index, properties, the metaindex and the footer. Tables whose index fits
// one block have that block in place of both levels.
//
// It is a ground package: it knows no engine. What a library decides about its
// tables comes in a Form, and what does not depend on the records in a Frame
// that is read from a table that the library wrote.
package rowtable

import "getio/tree/blockformat"

// KeySize is the length of every key.
const KeySize = 32

const (
	kindSet       = 1
	kindSeparator = 17
	maxSeq        = 1<<56 - 1
)

// Trailer is the trailer of a record that sets a key.
func Trailer(seq uint64) uint64 { return seq<<8 | kindSet }

// separatorTrailer marks a key that is in no record.
const separatorTrailer = maxSeq<<8 | kindSeparator

// Form is what decides a table's bytes apart from its records. Sizes are in
// bytes.
type Form struct {
	BlockSize       int // target size of an uncompressed data block
	IndexBlockSize  int // target size of an uncompressed index block
	RestartInterval int // records between restart points of a data block
	BloomBits       int // per key; 0 writes no filter
	// FlushAbove is the size above which a data block is ended early, because
	// one more record might take it over its target, IndexFlushAbove the same of
	// index blocks. FlushAtThreshold: also at exactly that size.
	FlushAbove, IndexFlushAbove int
	FlushAtThreshold            bool
	Snappy                      blockformat.SnappyRule
	Frame                       *Frame
}

// full tells whether a block of the given size, with some records in it, is
// ended before a record that may add as much as more. Both libraries take more
// to be the whole key and a shared length of 4 bytes (Pebble v1: sstable/writer.go
// shouldFlush; v2: sstable/block/flush_governor.go).
func (f *Form) full(size, more, threshold, target int) bool {
	if size < threshold || size == threshold && !f.FlushAtThreshold {
		return size >= target
	}
	return size >= target || size+more > target
}
