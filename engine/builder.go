package engine

import (
	"getio/tree/lsm"
	"getio/tree/rowtable"
)

// Builder is an engine into which a whole tree can be put as finished table
// files, without its own compactions.
type Builder interface {
	Engine
	// TableOptions says how the library writes tables under the configuration. It
	// refuses, with the reason, a configuration whose tables are not in a row
	// format with values stored in place, or compressed with other than Snappy.
	TableOptions(cfg Config) (TableOptions, error)
	// NewTable has the library's own writer write a table of the given level to
	// a file at path, replacing any: the reference that other writers are held
	// against. The bytes are those of a compaction or flush that writes the same
	// records. It refuses what TableOptions refuses.
	NewTable(path string, cfg Config, level int) (TableWriter, error)
	// TablePath is the path that a table has by its number.
	TablePath(dir string, file uint64) string
	// FirstTable is the first number that a table may have: the library takes
	// those below for its own files.
	FirstTable() uint64
	// Install makes dir a database of exactly the given tables, whose files are
	// there under the names that TablePath gives, whole and synced. They are
	// looked up with their sizes and not opened. Tables of one level other than
	// L0 share no key. Of two records of one key, the one higher up in the tree
	// must have the larger sequence number, and L0's tables lie on each other by
	// theirs; nothing checks that.
	//
	// Any database that was in dir is replaced, but for its table files: those
	// that are not among the given ones stay until the library opens the
	// database for writing and deletes them. A refused call changes nothing; a
	// database that another process has open, or this one for reading, is
	// refused. A call that fails later or is cut short leaves none in dir, or as
	// yet the earlier one, and can be made again.
	Install(dir string, cfg Config, tables []BuiltTable) error
}

// TableOptions is what decides a row-format table's bytes, apart from its records.
type TableOptions struct {
	// Format is the library's name of the table format: RocksDBv2, Pebblev1 or
	// Pebblev2.
	Format          string
	BlockSize       int                // target size of an uncompressed data block
	IndexBlockSize  int                // target size of an uncompressed index block
	RestartInterval int                // records between restart points of a data block
	Snappy          rowtable.Snappy    // when blocks are stored compressed
	BloomBits       [lsm.NumLevels]int // bits per key, by level; 0 writes no filter
	// FlushAbove is the size that a block must exceed before it is ended early,
	// because one more record might take it over its target; IndexFlushAbove is
	// the same of index blocks. A block of exactly this size is ended early by
	// libraries for which FlushAtThreshold holds.
	FlushAbove, IndexFlushAbove int
	FlushAtThreshold            bool
}

// TableWriter writes one table.
type TableWriter interface {
	// Set adds a record. Keys come in ascending order.
	Set(key []byte, seq uint64, value []byte) error
	// Close finishes the table and syncs its file. If it or a Set fails, the
	// file is no table.
	Close() error
}

// BuiltTable is one table of a tree to install.
type BuiltTable struct {
	Level             int
	File              uint64 // its number
	Size              int64  // of its file, in bytes
	Smallest, Largest BuiltKey
	// SmallestSeq and LargestSeq bound the sequence numbers of its records.
	SmallestSeq, LargestSeq uint64
}

// BuiltKey is a key with the sequence number of the record that sets it.
type BuiltKey struct {
	Key []byte
	Seq uint64
}
