// Package engine is the small contract between getio and a key-value store:
// load a database, look at one at rest, read one at a given cache size and
// count what that costs. Each library in each version is one Engine in a
// package of its own; engines never import each other.
package engine

import (
	"context"

	"getio/system/device"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Engine is one library in one version.
type Engine interface {
	// Name is the engine's name in flags and records, such as "pebblev1".
	Name() string
	// Version is the library's version, as linked into this binary.
	Version() string
	// Presets lists the names that Configure takes, the default one first.
	Presets() []string
	// Configure returns a preset with single options overridden, each as
	// NAME=VALUE. An unknown preset or option and a value that makes no sense
	// are errors that name what is known.
	Configure(preset string, overrides []string) (Config, error)
	// Recognise tells whether dir holds a database of this engine. It reads
	// file names and the options file only, and changes nothing. The error
	// says what dir holds instead, or why this engine cannot read it.
	Recognise(dir string) (Recognised, error)
	// Create makes a new database in dir, which is empty or absent.
	Create(dir string, cfg Config) (Loader, error)
	// Resume opens a database for loading on; an interrupted load left it.
	Resume(dir string, cfg Config) (Loader, error)
	// OpenStore looks at the database at rest in dir, read-only.
	OpenStore(ctx context.Context, dir string, cfg Config) (Store, error)
}

// Config is a configuration of one engine, complete and checked.
type Config interface {
	Preset() string
	// Effective lists every option that shapes the database or its reads, with
	// the value in force.
	Effective() map[string]string
	// ReadOptions lists the options that bear on reading a database that is there,
	// max_open_files among them. All others are of the database as it was written.
	ReadOptions() []string
	// With returns the configuration with one option overridden.
	With(override string) (Config, error)
}

// Recognised is a database that an engine recognised.
type Recognised struct {
	Format int // the library's format major version; 0 where it has none
	// Options are those that bear on reading, each as NAME=VALUE, as far as the
	// database's own options file states what its owner reads it with.
	Options []string
}

// Loader writes a database.
type Loader interface {
	NewBatch() Batch
	// Set writes one key by itself.
	Set(key, value []byte) error
	// Has tells whether the key is there.
	Has(key []byte) (bool, error)
	// Sync makes all that was written before it durable.
	Sync() error
	// Flush writes what is in memory to tables.
	Flush() error
	// Settle flushes, then waits until no compaction is due. report, which may
	// be nil, is told now and then what is still being worked on.
	Settle(ctx context.Context, report func(SettleProgress)) error
	// State is the library's own description of the tree.
	State() string
	// Failed receives the error that the library cannot go on from, such as a
	// full disk. After it, no other method may be called: calls that are under
	// way may never return.
	Failed() <-chan error
	// Close leaves nothing in the write-ahead log if Settle came before it.
	Close() error
}

// SettleProgress is how far a settling tree has come.
type SettleProgress struct {
	Compactions     int64 // in progress
	DebtBytes       int64 // bytes still to be compacted
	CompactionsDone int64
}

// Batch collects writes. It is not safe for concurrent use.
type Batch interface {
	Set(key, value []byte) error
	// Commit writes the batch and empties it.
	Commit() error
	Close() error
}

// Store is a database at rest: what it is, its shape, and a way to read it.
// Its directory is never written to.
type Store interface {
	Info() Info
	Shape() *lsm.Shape
	// Properties sums the tables' properties per level, L0 to L6. known is false
	// where the library writes none.
	Properties() (levels [lsm.NumLevels]LevelProperties, known bool)
	// Open opens the database read-only with a cache of its own, empty.
	Open(OpenConfig) (DB, error)
	// CacheCharge is what a block of so many bytes, decompressed, takes of the cache.
	CacheCharge(block int64) int64
	// Sampler draws keys that the tables hold.
	Sampler() (Sampler, error)
	Close() error
}

// Info says what a Store is.
type Info struct {
	Dir      string
	Engine   string
	Version  string // of the library
	Format   int    // 0 where the library has none
	Comparer string
	Merger   string // "" where the library has none
	// TableFormats counts the tables by table format.
	TableFormats map[string]int
	// WALKeys are the keys that a read-only open replays from the write-ahead
	// log into memory; WALBytes is the size of its files.
	WALKeys  int64
	WALBytes int64
	// MinCacheBytes is the smallest cache that Open takes, but for 0.
	MinCacheBytes int64
	// Virtual: data blocks are made when they are read, so that nothing is known of a
	// device below the tables.
	Virtual bool
	// OptionsFile lists the options that the database's own options file states.
	OptionsFile map[string]string
}

// LevelProperties are sums over a level's tables of what the library recorded
// when it wrote them.
type LevelProperties struct {
	Count                                int64
	SmallestSeq, LargestSeq              uint64 // 0 does not count as smallest
	DataSize, DataBlocks                 uint64
	IndexSize, IndexBlocks, TopIndexSize uint64 // the first two include the top index
	FilterSize                           uint64
	RawKeySize, RawValueSize             uint64
	PinnedKeySize, PinnedValueSize       uint64
	PointDelKeySize, PointDelValueSize   uint64
	Sets, Deletes, SizedDeletes          uint64 // Deletes includes SizedDeletes
	RangeDeletes                         uint64
	RangeKeySets, RangeKeyUnsets         uint64
	RangeKeyDels, Merges, PinnedKeys     uint64
}

// OpenConfig says how to open a Store for reading.
type OpenConfig struct {
	// CacheBytes is the size of the block cache. 0 makes a cache that keeps
	// nothing, so that every access is a read.
	CacheBytes int64
	// Shards of the block cache; 0 leaves the choice to the library.
	Shards int
	// Operation is what the database is opened for; "" is OperationGet. Accesses of
	// blocks are told apart, and counts are checked, as that operation makes them.
	Operation Operation
	// MaxOpenFiles bounds the open tables; 0 takes the configuration's bound.
	MaxOpenFiles int
	// LastLevelFilters has Get look keys up with an iterator that consults the
	// filters of L6 too, which Pebble's own Get does not, and has Multiget consult
	// them. An iterator asks every level, also those below the one that has the key.
	// It is an error where Get consults them anyway.
	LastLevelFilters bool
	// NoFilters has Gets consult no filters, as if the tables had none.
	NoFilters bool
	// Trace, if it is set, is called for every read of a table once it is made,
	// from the goroutine that made it.
	Trace func(TableRead)
	// Device is the way of reads of tables to the device; nil leaves the page cache
	// as it is. Open prepares it for the tables, and refuses what it cannot do, and
	// anything but the page cache as it is for tables that are not on a device.
	Device *device.Layer
}

// TableRead is one read of a table.
type TableRead struct {
	File      uint64 // number of the table
	Offset    int64
	Length    int // bytes read
	Component readpath.Component
	// Block is the size of the block that was read, decompressed and without its
	// trailer. 0 if the library does not put it into the block cache, or if it is
	// of a compression that does not say.
	Block int
}

// AuxiliaryOpenFiles is how many tables an open keeps open that is made beside the
// measured one: what it costs to open tables is no result of it.
const AuxiliaryOpenFiles = 256

// DB is a database opened for measuring: read-only, counting every read of its
// tables. It is safe for concurrent use.
type DB interface {
	// Get looks the key up and copies its value over buf[:0].
	Get(key, buf []byte) (value []byte, found bool, err error)
	// Counts is what has been counted since Open. Between two calls no Get may
	// be running if their difference is to be exact.
	Counts() Counts
	// Check holds the counts of a run, a difference of two Counts, against
	// each other.
	Check(run Counts) []readpath.Check
	Cache() Cache
	// State is the library's own description of the tree.
	State() string
	Close() error
}

// Cache is the block cache of an open DB.
type Cache struct {
	Bytes    int64
	Shards   int
	Reserved int64 // of Bytes, for the memtable; blocks cannot use it
}

// Counts is everything that an engine counts while it is read.
type Counts struct {
	Reads    readpath.Reads
	Accesses readpath.Accesses

	BlockCacheHits, BlockCacheMisses int64
	TableCacheHits, TableCacheMisses int64
	FilterNegatives, FilterPositives int64
	// SharedLoads are block cache misses that waited for another Get's read of
	// the same block. Nil where the library has no such thing.
	SharedLoads *int64
	// CategoryBytes are the block bytes that the library itself says Gets read
	// past the cache, block trailers not included. Nil where it does not say.
	CategoryBytes *int64
	// LibraryBytes are all bytes that the library itself says it read. Nil where it
	// does not say.
	LibraryBytes *int64
	// LibraryReads are all reads of tables that the library itself says it made. Nil
	// where it does not say.
	LibraryReads *int64
	// LibraryMisses are the misses that the library itself says it had: of filters, of
	// indexes of both levels, under Index, and of everything else, under Data. Nil where
	// it does not say.
	LibraryMisses *readpath.PerComponent
	// CacheInserts are the blocks that were put into the block cache. Nil where that is
	// not known.
	CacheInserts *int64
	// CacheLookups are the blocks that the block cache itself was asked for. Nil where
	// it is not asked.
	CacheLookups *int64
	// FilteredVisits are the table visits that have to consult a filter. Nil where
	// the accesses of filters follow from those of tables.
	FilteredVisits *int64
}

// Sub returns what was counted between q and c.
func (c Counts) Sub(q Counts) Counts {
	return Counts{
		Reads:            c.Reads.Sub(q.Reads),
		Accesses:         c.Accesses.Sub(q.Accesses),
		BlockCacheHits:   c.BlockCacheHits - q.BlockCacheHits,
		BlockCacheMisses: c.BlockCacheMisses - q.BlockCacheMisses,
		TableCacheHits:   c.TableCacheHits - q.TableCacheHits,
		TableCacheMisses: c.TableCacheMisses - q.TableCacheMisses,
		FilterNegatives:  c.FilterNegatives - q.FilterNegatives,
		FilterPositives:  c.FilterPositives - q.FilterPositives,
		SharedLoads:      subOptional(c.SharedLoads, q.SharedLoads),
		CategoryBytes:    subOptional(c.CategoryBytes, q.CategoryBytes),
		LibraryBytes:     subOptional(c.LibraryBytes, q.LibraryBytes),
		LibraryReads:     subOptional(c.LibraryReads, q.LibraryReads),
		LibraryMisses:    subComponents(c.LibraryMisses, q.LibraryMisses),
		CacheInserts:     subOptional(c.CacheInserts, q.CacheInserts),
		CacheLookups:     subOptional(c.CacheLookups, q.CacheLookups),
		FilteredVisits:   subOptional(c.FilteredVisits, q.FilteredVisits),
	}
}

func subComponents(a, b *readpath.PerComponent) *readpath.PerComponent {
	if a == nil || b == nil {
		return nil
	}
	d := a.Sub(*b)
	return &d
}

func subOptional(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	d := *a - *b
	return &d
}

// Sampler draws keys from the tables of a Store, uniformly among their records. It is safe for concurrent use, counts
// nothing and touches no DB's cache.
type Sampler interface {
	// Draw appends a user key to dst. The key has a record that sets it; a
	// newer record may have deleted it. rand is a source of random numbers.
	Draw(rand func() uint64, dst []byte) ([]byte, error)
	// Ranges is into how many ranges the tables divide the key space, about a data
	// block of the fullest level each; at least one.
	Ranges() uint64
	// Range is the range of that number, from 0 on: from first up to, not including,
	// last. nil bounds nothing. Together the ranges hold every key once.
	Range(n uint64) (first, last []byte, err error)
	Close() error
}
