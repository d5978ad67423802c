package goleveldb

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/iterator"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/failure"
	"getio/engine/readpath"
	"getio/engine/region"
)

// db is a database opened for reading.
type db struct {
	dir      string
	level    *leveldb.DB
	storage  *readStorage
	accesses *accesses
	cache    engine.Cache
	// fixedBuffer is the largest of the fixed sizes that buffers of blocks have, in bytes.
	fixedBuffer int64
}

func (s *store) Open(o engine.OpenConfig) (engine.DB, error) {
	if err := s.cfg.checkCache(o); err != nil {
		return nil, err
	}
	if o.LastLevelFilters {
		return nil, fmt.Errorf("%s consults the filters of all levels in every Get: there is no other way of looking keys up to choose", name)
	}
	if err := o.Device.Prepare(s.catalog.Paths()); err != nil {
		return nil, err
	}
	d := &db{
		dir:      s.dir.path,
		storage:  &readStorage{dir: s.dir, catalog: s.catalog, counter: &region.Counter{Trace: o.Trace}, device: o.Device},
		accesses: &accesses{catalog: s.catalog, noFilters: o.NoFilters || !o.Operation.IsGet()},
		cache:    engine.Cache{Bytes: o.CacheBytes, Shards: s.cfg.shards(), ByRecency: true},

		fixedBuffer: 4 * (s.cfg.blockSize + blockformat.TrailerLen),
	}
	options := readOptions(s.cfg, o, d.accesses)
	if s.cfg.client == clientOriginal {
		options.OpenFilesCacher = d.accesses.tableCacherOfOriginal()
		options.OpenFilesCacheCapacity = max(options.OpenFilesCacheCapacity-filesBesidesTables, leastTables)
		held := &openBlocks{catalog: s.catalog, tables: map[uint64]*openTable{}, closes: len(s.catalog.Tables) > options.OpenFilesCacheCapacity/shardsOfOriginal}
		held.useCache(d.accesses)
		d.storage.held, options.BlockCacher = held, held.cache
		options.DisableBufferPool = true // a buffer has its block's size
	} else if o.Trace != nil && o.TraceAccesses && o.CacheBytes == 0 {
		held := newHeldBlocks(o.Trace)
		d.storage.counter.Trace = held.read
		options.BlockCacher, options.BlockCacheCapacity = held.cacher(d.accesses), heldBytes
	}
	var err error
	if d.level, err = leveldb.Open(d.storage, options); err != nil {
		return nil, failure.Open("LevelDB", d.dir, err)
	}
	return d, nil
}

// checkCache returns an error for a cache that the library cannot make.
func (c *config) checkCache(o engine.OpenConfig) error {
	switch {
	case o.CacheBytes < 0:
		return fmt.Errorf("a cache of %d bytes cannot be made: take 0 or more", o.CacheBytes)
	case o.Shards != 0 && o.Shards != c.shards():
		return fmt.Errorf("%d cache shards cannot be made: the cache of %s has %d", o.Shards, c.client, c.shards())
	}
	return nil
}

// readOptions configures the library for reading. It consults whatever Bloom filters the
// tables have, unless o.NoFilters.
func readOptions(c *config, o engine.OpenConfig, a *accesses) *opt.Options {
	files := c.maxOpenFiles
	if o.MaxOpenFiles > 0 {
		files = min(files, o.MaxOpenFiles)
	}
	options := &opt.Options{
		ReadOnly:       true,
		ErrorIfMissing: true,
		// A MANIFEST that lacks a record is damaged. A log may lack its end.
		Strict:                 opt.DefaultStrict | opt.StrictManifest,
		DisableSeeksCompaction: true,
		BlockSize:              int(c.blockSize), // decides the buffer sizes
		BlockCacher:            a.blockCacher(),
		// 0 means the library's default. No block fits a cache of 1 byte.
		BlockCacheCapacity:     int(max(o.CacheBytes, 1)),
		OpenFilesCacher:        a.tableCacher(),
		OpenFilesCacheCapacity: files,
		// The memtable grows with the log that is replayed. A large one takes memory or not, as Go
		// happens to have some that it must clear.
		WriteBuffer: int(min(c.memTableSize, 64<<10)),
	}
	if !o.NoFilters {
		options.Filter = a.filter(c.filters(), 10)
	}
	return options
}

func (d *db) Get(key, buf []byte) ([]byte, bool, error) {
	value, err := d.level.Get(key, nil)
	switch {
	case err == nil:
		return append(buf[:0], value...), true, nil
	case errors.Is(err, leveldb.ErrNotFound):
		return buf[:0], false, nil
	}
	return nil, false, failure.Read(d.dir, err)
}

func (d *db) Scan(first, last []byte, each func(key, value []byte) error) error {
	return d.scan(d.level.NewIterator(&util.Range{Start: first, Limit: last}, nil), nil, math.MaxInt, each)
}

func (d *db) ScanFrom(first []byte, n int, each func(key, value []byte) error) error {
	return d.scan(d.level.NewIterator(nil, nil), first, n, each)
}

// scan passes each up to n records from first, and releases the iterator.
func (d *db) scan(it iterator.Iterator, first []byte, n int, each func(key, value []byte) error) error {
	defer it.Release()
	for ok := it.Seek(first); ok; ok = it.Next() {
		if err := each(it.Key(), it.Value()); err != nil {
			return err
		}
		if n--; n == 0 {
			break
		}
	}
	return d.failed(it)
}

// Multiget implements engine.Ordered. The library's iterators consult no filters, so each
// key is looked up in every level.
func (d *db) Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error {
	it := d.level.NewIterator(nil, nil)
	defer it.Release()
	for i, key := range keys {
		found := it.Seek(key) && bytes.Equal(it.Key(), key)
		if err := d.failed(it); err != nil {
			return err
		}
		var value []byte
		if found {
			value = it.Value()
		}
		if err := each(i, value, found); err != nil {
			return err
		}
	}
	return nil
}

// failed returns the iterator's error.
func (d *db) failed(it iterator.Iterator) error {
	if err := it.Error(); err != nil {
		return failure.Read(d.dir, err)
	}
	return nil
}

// Counts implements engine.DB. Accesses are counted in the library's cache; those that were
// not reads were hits. Opening a table reads footer and metaindex past the cache.
func (d *db) Counts() engine.Counts {
	blocks, visits, filtered := d.accesses.sums()
	reads := d.storage.counter.Reads()
	opened := d.storage.opened.Load()
	misses := reads.Count.Blocks()
	c := engine.Counts{
		Reads:            reads,
		BlockCacheHits:   blocks.Sum() - misses,
		BlockCacheMisses: misses,
		TableCacheHits:   visits - opened,
		TableCacheMisses: opened,
		FilterNegatives:  d.accesses.negatives.Load(),
		FilterPositives:  d.accesses.positives.Load(),
		FilteredVisits:   &filtered,
		LibraryBytes:     d.libraryBytes(),
	}
	c.Accesses = readpath.Accesses{Count: blocks, Probed: visits - c.FilterNegatives, SplitExact: true}
	c.Accesses.Count[readpath.TableOpen] = 2 * opened
	if d.storage.held != nil {
		c.Accesses.Count[readpath.TableOpen] += d.storage.held.loaded.Load()
	}
	return c
}

// libraryBytes returns the bytes that the library reports as read: of tables and, by the
// open, of MANIFEST and log.
func (d *db) libraryBytes() *int64 {
	var stats leveldb.DBStats
	if d.level.Stats(&stats) != nil {
		return nil
	}
	return new(int64(stats.IORead))
}

func (d *db) Check(run engine.Counts) []readpath.Check {
	return append(checkCounts(run, d.storage.held != nil), d.storage.catalog.Check())
}

// checkCounts compares a run's counts with each other. held means that open tables hold filters and indexes.
func checkCounts(run engine.Counts, held bool) []readpath.Check {
	a := &run.Accesses.Count
	checks := append(region.Checks(run),
		// The library ignores a damaged filter.
		region.Equal("filter_answers", "visits of tables with filters", *run.FilteredVisits, "answers of filters", run.FilterNegatives+run.FilterPositives))
	if held {
		checks = append(checks, region.Equal("opens", "reads that opened tables", run.Reads.Count[readpath.TableOpen], "footers, metaindexes, indexes and filters", a[readpath.TableOpen]))
	} else {
		checks = append(checks,
			region.Equal("visits", "tables visited", run.TableCacheHits+run.TableCacheMisses, "accesses of top indexes", a[readpath.TopIndex]),
			region.Equal("filters", "visits of tables with filters", *run.FilteredVisits, "accesses of filters", a[readpath.Filter]))
	}
	if run.LibraryBytes != nil {
		checks = append(checks, checkLibraryBytes(run))
	}
	return checks
}

func checkLibraryBytes(run engine.Counts) readpath.Check {
	return region.Equal("library_bytes", "bytes read as the library counts them", *run.LibraryBytes, "bytes read", run.Reads.Bytes.Sum())
}

// Cache implements engine.DB. A buffer that is larger than those of fixed sizes is used again for smaller blocks
// (leveldb/util/buffer_pool.go).
func (d *db) Cache() engine.Cache {
	c := d.cache
	if largest := d.accesses.largest.Load(); largest > d.fixedBuffer {
		c.Recycled = largest
	}
	return c
}

func (d *db) Close() error { return d.level.Close() }

func (d *db) State() string { return state(d.level) }

// state returns the library's own table of levels.
func state(level *leveldb.DB) string {
	text, err := level.GetProperty("leveldb.stats")
	if err != nil {
		return err.Error()
	}
	return text
}
