// Package engine is the contract between getio and a key-value store: load a database,
// inspect it, open it read-only with a given cache, and count what its Gets read. Each
// version of a library is one Engine in a package of its own.
//
// To add an engine:
//
//  1. Implement Engine in engine/NAME. Package option defines its options and presets;
//     region, loading, failure, ondisk, filelimit and catalog hold what engines share.
//     Reads are counted where the library reads its files, accesses in its caches or from
//     its metrics, and DB.Check compares the two.
//  2. Implement Ordered to allow scans, Updater to measure Gets beside writes, Builder to
//     accept whole trees.
//  3. List it in engine/engines, and in the conformance suite of its tests.
package engine

import (
	"context"
	"fmt"
	"strings"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/system/device"
	"getio/workload"
)

// Linked is an Engine whose library is not written in Go. It need not be part of this binary, and may end the process
// where it is to return an error.
type Linked interface {
	// Linked says which library it is: "static", or "of the system".
	Linked() string
}

// Engine is one library in one version.
type Engine interface {
	// Name is the engine's name in flags and records, such as "pebblev1".
	Name() string
	// Version is the library's version, as linked into this binary.
	Version() string
	// Presets lists the presets that Configure knows, the default one first.
	Presets() []string
	// Configure returns a preset, the default one for "", with options overridden, each as
	// NAME=VALUE. Errors name the presets, options or values that are accepted.
	Configure(preset string, overrides []string) (Config, error)
	// Recognise reports whether dir holds a database of this engine. It only reads file names, the
	// options file and, where there is none, the tail of a table. The error says what dir holds instead, or why this engine cannot read it. choices are options
	// that the user chose, each as NAME=VALUE: what the options file states may depend on them.
	Recognise(dir string, choices ...string) (Recognised, error)
	// Create makes a new database in dir, which must be empty or absent.
	Create(dir string, cfg Config) (Loader, error)
	// Resume opens a database whose load was interrupted.
	Resume(dir string, cfg Config) (Loader, error)
	// OpenStore opens the database in dir for inspection and reading. It never writes. It first compares the files with
	// the MANIFEST, and returns an error if one is missing or has another size. Then it reads the tables, unless ctx is
	// done.
	OpenStore(ctx context.Context, dir string, cfg Config) (Store, error)
}

// Config is a complete and valid configuration of one engine.
type Config interface {
	Preset() string
	// Effective returns the value of every option that affects the database or its reads.
	Effective() map[string]string
	// ReadOptions lists the options that affect reading an existing database,
	// max_open_files among them. All others describe how it was written.
	ReadOptions() []string
	// With returns the configuration with one option overridden.
	With(override string) (Config, error)
}

// Recognised describes a database that an engine recognised.
type Recognised struct {
	Format int // the library's format major version; 0 where it has none
	// Options are the options, each as NAME=VALUE, that the database's own files state for reading
	// it.
	Options []string
}

// Loader writes a database.
type Loader interface {
	NewBatch() Batch
	// Set writes one key by itself.
	Set(key, value []byte) error
	// Has reports whether the database holds the key.
	Has(key []byte) (bool, error)
	// Sync makes everything written before it durable.
	Sync() error
	// Flush writes the memtables to tables.
	Flush() error
	// Settle flushes, then waits until no compaction is due. It calls report, unless that
	// is nil, with its progress now and then.
	Settle(ctx context.Context, report func(SettleProgress)) error
	// State is the library's own description of the tree.
	State() string
	// Failed receives an error that the library cannot recover from, such as a full disk.
	// No method may be called after it; calls in progress may never return.
	Failed() <-chan error
	// Close leaves nothing in the write-ahead log if Settle came before it.
	Close() error
}

// SettleProgress is the state of a tree that is settling.
type SettleProgress struct {
	Compactions     int64 // in progress
	DebtBytes       int64 // still to be compacted
	CompactionsDone int64
}

// Batch collects writes. It is not safe for concurrent use.
type Batch interface {
	Set(key, value []byte) error
	// Commit writes the batch and empties it.
	Commit() error
	Close() error
}

// Store is a database that nobody writes: what it is, its shape, and a way to read it. Its
// directory is never written to.
type Store interface {
	Info() Info
	Shape() *lsm.Shape
	// Properties sums the tables' properties by level, L0 to L6. known is false if the
	// library writes none.
	Properties() (levels [lsm.NumLevels]LevelProperties, known bool)
	// Open opens the database read-only with an empty cache of its own.
	Open(OpenConfig) (DB, error)
	// CacheCharge is what the cache charges a block of the given uncompressed size.
	CacheCharge(block int64) int64
	// Sampler draws keys from the tables and the write-ahead log.
	Sampler() (Sampler, error)
	// TreeSampler samples the tables for predictions.
	TreeSampler() TreeSampler
	Close() error
}

// Info describes a Store.
type Info struct {
	Dir      string
	Engine   string
	Version  string // of the library
	Format   int    // 0 where the library has none
	Comparer string
	Merger   string // "" where the library has none
	// TableFormats counts the tables by table format.
	TableFormats map[string]int
	// WALKeys counts the records, several of a key that was overwritten there, that a read-only open replays from the write-ahead log into
	// memory; WALBytes is the size of the log's files.
	WALKeys  int64
	WALBytes int64
	// WALPrepared counts the log's records of transactions that are prepared and not committed. Gets do not find them.
	WALPrepared int64
	// NewerTables is the number of tables in the directory that are newer than any table of the tree: a
	// killed process was writing them, or the MANIFEST was cut short.
	NewerTables int
	// ManifestTorn means that the last record of the MANIFEST was only partly written.
	ManifestTorn bool
	// MissingLogs are the directories of the write-ahead log that are not there.
	MissingLogs []string
	// OtherLevels means that a dataset's tree has other levels than getio.json lists. Nothing else shows that a MANIFEST has
	// lost the move of a table to another level.
	OtherLevels bool
	// MinCacheBytes is the smallest cache that Open accepts, apart from none.
	MinCacheBytes int64
	// Virtual means that data blocks are computed when they are read. There is no device
	// below them.
	Virtual bool
	// OptionsFile holds the options that the database's own options file states.
	OptionsFile map[string]string
	// Unlike says in which way a program with the database's own options reads it otherwise than getio. The programs'
	// caches are left to the user.
	Unlike []string
	// ReadAs says as which of several clients of its format the database is read, and why. It is empty if the files leave
	// no choice.
	ReadAs string
	// Families are the column families, if there are several. The other fields are of the one that is read.
	Families []Family
}

// Family is a column family: a tree of its own in one database.
type Family struct {
	Name          string
	Tables, Bytes int64
	// BlobFiles are files that hold values apart from the tables.
	BlobFiles, BlobBytes int64
}

// Warnings say why the tree may be outdated, what is not there, and why a program may read it otherwise.
func (i Info) Warnings() (all []string) {
	if outdated := i.outdated(); outdated != "" {
		all = append(all, outdated)
	}
	if len(i.MissingLogs) > 0 {
		all = append(all, fmt.Sprintf("%s has its write-ahead log in %s, which is not here: keys that only the log holds are not counted, and not found; make that directory available, or have the client flush its memtables", i.Dir, strings.Join(i.MissingLogs, " and ")))
	}
	if len(i.Unlike) > 0 {
		all = append(all, fmt.Sprintf("the client of %s may read it otherwise than getio: %s", i.Dir, strings.Join(i.Unlike, "; ")))
	}
	return all
}

// outdated says why the tree may be outdated. It is empty if nothing suggests so.
func (i Info) outdated() string {
	var signs []string
	if i.ManifestTorn {
		signs = append(signs, "its MANIFEST ends in a record that was only partly written")
	}
	if i.NewerTables > 0 {
		signs = append(signs, fmt.Sprintf("%d of its tables are newer than any that its MANIFEST lists", i.NewerTables))
	}
	switch {
	case len(signs) > 0:
		return fmt.Sprintf("the tree of %s may be outdated: %s; a killed client can cause this: start and stop it once, and restore the database from a copy if this warning remains", i.Dir, strings.Join(signs, ", and "))
	case i.OtherLevels:
		return fmt.Sprintf("the tree of %s is not the one that getio wrote: its MANIFEST or getio.json is damaged, or another program has changed the tree; load the dataset again, or treat its figures as those of another tree", i.Dir)
	}
	return ""
}

// LevelProperties sums the properties that the library recorded in a level's tables.
type LevelProperties struct {
	Count                                uint64 // of tables
	SmallestSeq, LargestSeq              uint64 // SmallestSeq ignores 0
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

// OpenConfig configures a DB.
type OpenConfig struct {
	// CacheBytes is the size of the block cache. With 0, nothing is cached and every
	// access is a read.
	CacheBytes int64
	// Shards of the block cache; 0 leaves the choice to the library.
	Shards int
	// Memtables is the part of CacheBytes to reserve for the memtables of a running program. Libraries
	// whose memtables are not part of the cache ignore it. With 0, only what the open needs is reserved.
	Memtables int64
	// Operation is the kind that the counts are split and checked for; Gets if empty.
	Operation workload.Kind
	// MaxOpenFiles bounds the open tables; 0 means the configuration's bound.
	MaxOpenFiles int
	// LastLevelFilters makes Get use an iterator that also consults the filters of L6, which
	// Pebble's own Get does not, and makes Multiget consult them. An iterator visits every level,
	// even below the one that has the key. Open refuses it where Get consults these filters anyway.
	LastLevelFilters bool
	// NoFilters makes Gets ignore filters.
	NoFilters bool
	// Trace, unless nil, is called after every read of a table, on the goroutine that made it.
	Trace func(TableRead)
	// TraceAccesses, if CacheBytes is 0, lets an engine keep filters and indexes in memory, because reading them in each Get
	// would be slow. Trace is called for each of their accesses as if it were a read, but not for those that RocksDB makes
	// in the block cache while it opens a table.
	TraceAccesses bool
	// Device is how reads of tables reach the device; nil leaves the page cache in
	// between. Open prepares it for the tables, and refuses what it cannot do and anything
	// else for virtual tables.
	Device *device.Layer
}

// TableRead is one read of a table.
type TableRead struct {
	File      uint64 // the table's file number
	Offset    int64
	Length    int // bytes read
	Component readpath.Component
	TopFilter bool // the block is the top-level index of a partitioned filter
	// CacheHash is the hash by which the library chooses a shard of its cache for the block; 0 if it does not say.
	CacheHash uint32
	// Block is the block's uncompressed size without its trailer. It is 0 if the library
	// does not cache the block or its compression does not record the size.
	Block int
}

// AuxiliaryOpenFiles bounds the open tables of a DB that is opened beside the measured one
// and whose table opens are not measured.
const AuxiliaryOpenFiles = 256

// Lookups are Gets that are not measured, such as those that look for keys to ask for. They are safe for concurrent use.
type Lookups interface {
	// Get is as in DB.
	Get(key, buf []byte) (value []byte, found bool, err error)
	Close() error
}

// LookupsCacheBytes is the size of the cache of Lookups.
const LookupsCacheBytes = 64 << 20

// OpenLookups returns the store's own Lookups, if it keeps a database open, or opens it for them.
func OpenLookups(s Store) (Lookups, error) {
	if own, ok := s.(interface{ Lookups() Lookups }); ok {
		if l := own.Lookups(); l != nil {
			return kept{l}, nil
		}
	}
	return s.Open(OpenConfig{CacheBytes: LookupsCacheBytes, MaxOpenFiles: AuxiliaryOpenFiles})
}

// kept are Lookups that their store closes.
type kept struct{ Lookups }

func (kept) Close() error { return nil }

// DB is a database opened read-only that counts every read of its tables. It is safe for
// concurrent use.
type DB interface {
	// Get looks the key up and copies its value over buf[:0].
	Get(key, buf []byte) (value []byte, found bool, err error)
	// Counts returns what was counted since Open. The difference of two is exact if no Get
	// was running at either call.
	Counts() Counts
	// Check compares the counts of a run, a difference of two Counts, with each other.
	Check(run Counts) []readpath.Check
	Cache() Cache
	// State is the library's own description of the tree.
	State() string
	Close() error
}

// Cache describes the block cache of an open DB.
type Cache struct {
	Bytes    int64
	Shards   int
	Reserved int64 // of Bytes, for the memtable and not for blocks
	// Pinned is what blocks take that the open tables hold in the cache. Gets find them without the cache.
	Pinned int64
	// Recycled is the largest buffer, in bytes, in which a block was charged that may be smaller, since the library uses the
	// buffers of large blocks again; 0 if each block is charged by its own size.
	Recycled int64
	// ByRecency means that the cache keeps blocks by how recently they were accessed, exactly as LRU or
	// approximately as HyperClock. Random Gets that fill it bring it to its steady state.
	ByRecency bool
}

// Counts is everything that an engine counts while it is read. Pointers are nil where the
// library has no such thing.
type Counts struct {
	Reads    readpath.Reads
	Accesses readpath.Accesses

	BlockCacheHits, BlockCacheMisses int64
	TableCacheHits, TableCacheMisses int64 // including blob files, which share the table cache
	FilterNegatives, FilterPositives int64

	SharedLoads *int64 // block cache misses that waited for another Get's read of the block

	// LibraryBlobs is the library's own count of values read from blob files; nil if the database has none.
	LibraryBlobs *BlobReads

	// What the library itself reports: CategoryBytes are the block bytes, without trailers,
	// that Gets read past the cache; LibraryBytes all bytes and LibraryReads all reads of
	// tables; LibraryMisses the misses of filters, of indexes of both levels (under Index)
	// and of everything else (under Data).
	CategoryBytes, LibraryBytes, LibraryReads *int64
	LibraryMisses                             *readpath.PerComponent

	// What the block cache saw itself: blocks looked up and blocks put in.
	CacheLookups, CacheInserts *int64

	// FilteredVisits are the table visits that must consult a filter. It is nil where the
	// accesses of filters follow from those of tables.
	FilteredVisits *int64
}

// BlobReads are reads of values from blob files.
type BlobReads struct{ Reads, Bytes int64 }

// Sub returns what was counted from q to c.
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
		LibraryBlobs:     optional(c.LibraryBlobs, q.LibraryBlobs, BlobReads.Sub),
		CategoryBytes:    subOptional(c.CategoryBytes, q.CategoryBytes),
		LibraryBytes:     subOptional(c.LibraryBytes, q.LibraryBytes),
		LibraryReads:     subOptional(c.LibraryReads, q.LibraryReads),
		LibraryMisses:    optional(c.LibraryMisses, q.LibraryMisses, readpath.PerComponent.Sub),
		CacheInserts:     subOptional(c.CacheInserts, q.CacheInserts),
		CacheLookups:     subOptional(c.CacheLookups, q.CacheLookups),
		FilteredVisits:   subOptional(c.FilteredVisits, q.FilteredVisits),
	}
}

// Sub returns what was read from q to b.
func (b BlobReads) Sub(q BlobReads) BlobReads {
	return BlobReads{Reads: b.Reads - q.Reads, Bytes: b.Bytes - q.Bytes}
}

// optional returns sub of two figures, or nil if one is missing.
func optional[T any](a, b *T, sub func(a, b T) T) *T {
	if a == nil || b == nil {
		return nil
	}
	return new(sub(*a, *b))
}

func subOptional(a, b *int64) *int64 {
	return optional(a, b, func(a, b int64) int64 { return a - b })
}

// Sampler draws keys from the tables of a Store and from its write-ahead log. It is safe
// for concurrent use, counts nothing and uses no DB's cache.
type Sampler interface {
	// Draw draws a user key for each source of random numbers, on which alone the key depends. Every key whose
	// newest record sets it, or adds to its value, has the same chance, however many older records it has; only a
	// deletion of a range of keys may have deleted it.
	Draw(ctx context.Context, rands []func() uint64) (keys [][]byte, err error)
	// Ranges returns the number of ranges, at least one, that the tables divide the key space
	// into. A range begins where a data block does, and ends where the next one of any level
	// begins.
	Ranges() uint64
	// Range returns the bounds of range n, counted from 0. The range includes first, but not last.
	// A nil bound means that the range is unbounded on that side. Together the ranges hold every
	// key once; some may be empty. They are numbered level by level, and in key order within each.
	Range(n uint64) (first, last []byte, err error)
	// BlockStarts calls each with the keys at which the data blocks of the fullest level begin, in key order
	// and without the first. L0 does not count.
	BlockStarts(each func(key []byte) error) error
	// IndexKeys calls each once per index block of all tables, after skipping the first skip ones, with keys
	// whose Gets access that index block: one key from each of up to most of its data blocks. Data blocks
	// that hold only deletions contribute none. A newer record may have deleted a key.
	IndexKeys(ctx context.Context, skip int64, most int, each func(keys [][]byte) error) error
	Close() error
}
