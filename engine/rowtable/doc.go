// Package rowtable writes table files (sstables) in the row format of the LevelDB family, byte for
// byte as both versions of Pebble write it. Each record sets a different key of 32 bytes.
//
// It writes complete tables, single data blocks, and table tails alone. For a tail it
// computes only the lengths of the data blocks.
//
// A table is, in order: data blocks, the filter, second-level index blocks, the
// top index, properties, the metaindex and the footer. Tables whose index fits
// one block have that block in place of both levels.
//
// A Form holds the library-specific parameters. Its Template holds the parts of a table that
// do not depend on the records; it is read from a table that the library wrote.
package rowtable

import "getio/engine/blockformat"

// KeySize is the length of every key.
const KeySize = 32

const (
	kindSet       = 1
	kindSeparator = 17
	maxSeq        = 1<<56 - 1
)

// Trailer returns the trailer of a record that sets a key.
func Trailer(seq uint64) uint64 { return seq<<8 | kindSet }

// separatorTrailer is the trailer of an index key that belongs to no record.
const separatorTrailer = maxSeq<<8 | kindSeparator

// Form holds the parameters that determine a table's bytes, besides its records. Sizes are
// in bytes.
type Form struct {
	BlockSize       int // target size of an uncompressed data block
	IndexBlockSize  int // target size of an uncompressed index block
	RestartInterval int // records between restart points of a data block
	BloomBits       int // per key; 0 writes no filter
	// FlushAbove is the size above which a data block is finished early if the next
	// record could take it over its target size. IndexFlushAbove is the same for index
	// blocks. With FlushAtThreshold, blocks of exactly that size are finished as well.
	FlushAbove, IndexFlushAbove int
	FlushAtThreshold            bool
	Snappy                      blockformat.SnappyRule
	Template                    *Template
}

// full reports whether a non-empty block of the given size is finished before a record
// that may add up to more bytes. Both libraries compute more from the whole key and a
// shared length of 4 bytes (Pebble v1: sstable/writer.go shouldFlush; v2:
// sstable/block/flush_governor.go).
func (f *Form) full(size, more, threshold, target int) bool {
	if size < threshold || size == threshold && !f.FlushAtThreshold {
		return size >= target
	}
	return size >= target || size+more > target
}
