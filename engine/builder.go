package engine

import (
	"getio/engine/blockformat"
	"getio/engine/lsm"
)

// Builder is an engine that accepts a whole tree as finished table files, without its own
// compactions.
type Builder interface {
	Engine
	// TableOptions returns how the library writes tables under the configuration. It
	// returns an error, with the reason, unless tables are in a row format with values
	// stored in place, uncompressed or compressed with Snappy.
	TableOptions(cfg Config) (TableOptions, error)
	// NewTable has the library's own writer write a table of the given level to a file at path,
	// replacing any. Its bytes are those of a compaction or flush of the same records, so that
	// other writers can be compared with it. It has the errors of TableOptions.
	NewTable(path string, cfg Config, level int) (TableWriter, error)
	// TablePath is the path of the table with the given file number.
	TablePath(dir string, file uint64) string
	// FirstTable is the lowest file number for a table: the library uses those below.
	FirstTable() uint64
	// Install makes dir a database of exactly the given tables. Their files must be complete and
	// synced under the names of TablePath; only their sizes are checked. No two tables of a level
	// below L0 may share a key. Of two records of one key, the one higher up must have the larger
	// sequence number, and the tables of L0 are ordered by theirs; neither is checked.
	//
	// Install replaces any database in dir, except for its table files: those that are not
	// listed stay until the library opens the database for writing and deletes them. It
	// refuses a database that another process has open, or this one for reading. A refused
	// call changes nothing. A call that fails later or is interrupted leaves no database
	// in dir, or the earlier one, and can be repeated.
	Install(dir string, cfg Config, tables []BuiltTable) error
}

// TableOptions decide a row-format table's bytes, apart from its records.
type TableOptions struct {
	// Format is the library's name of the table format: RocksDBv2, Pebblev1 or Pebblev2.
	Format          string
	BlockSize       int                    // target size of an uncompressed data block
	IndexBlockSize  int                    // target size of an uncompressed index block
	RestartInterval int                    // records between restart points of a data block
	Snappy          blockformat.SnappyRule // when blocks are stored compressed
	BloomBits       [lsm.NumLevels]int     // bits per key, by level; 0 writes no filter
	// A block larger than FlushAbove, or IndexFlushAbove, ends early if one more record could take
	// it past its target size. With FlushAtThreshold, so does a block of exactly that size.
	FlushAbove, IndexFlushAbove int
	FlushAtThreshold            bool
}

// TableWriter writes one table.
type TableWriter interface {
	// Set adds a record. Keys must ascend.
	Set(key []byte, seq uint64, value []byte) error
	// Close finishes the table and syncs its file. If Close or a Set fails, the file is not
	// a table.
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
