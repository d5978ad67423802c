//go:build rocksdb

package rocksdb

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"math/bits"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/engine/rocksdb/rocksfile"
)

// db is a database opened for reading.
type db struct {
	dir      string
	catalog  *rocksfile.Catalog
	library  *reading
	files    *files
	cache    engine.Cache
	filtered bool // every visit consults a filter; iterators never do
	hasBlobs bool // values may lie in blob files
}

// minShard is the smallest useful cache shard: blocks larger than a shard are never cached.
const minShard = 64 << 10

func (s *store) Open(o engine.OpenConfig) (engine.DB, error) {
	if err := checkCache(o); err != nil {
		return nil, err
	}
	if o.LastLevelFilters {
		return nil, fmt.Errorf("%s consults the filters of all levels in every Get: there is no other way of looking keys up to choose", name)
	}
	if err := o.Device.Prepare(s.catalog.Files()); err != nil {
		return nil, err
	}
	d := &db{
		dir:     s.dir.path,
		catalog: s.catalog,
		files: &files{
			regions: s.regions, counter: &region.Counter{Trace: o.Trace}, device: o.Device,
			cachedTails: o.TraceAccesses && o.CacheBytes == 0 && s.cfg.cacheMetadata,
		},
		filtered: o.Operation.IsGet() && !o.NoFilters && s.catalog.AllFiltered(),
		hasBlobs: s.catalog.Shape().BlobFiles > 0,
	}
	var err error
	if d.library, err = openReading(s.dir, s.cfg, o, d.files, len(s.catalog.Paths())); err != nil {
		return nil, failure.Open("RocksDB", s.dir.path, err)
	}
	d.cache = engine.Cache{Bytes: o.CacheBytes, Shards: d.library.cacheShards(), ByRecency: true}
	return d, nil
}

// checkCache returns an error for a cache that the library cannot make or use.
func checkCache(o engine.OpenConfig) error {
	switch {
	case o.CacheBytes < 0:
		return fmt.Errorf("a cache of %d bytes cannot be made: take 0 or more", o.CacheBytes)
	case o.Shards < 0 || bits.OnesCount(uint(o.Shards)) > 1:
		return fmt.Errorf("%d cache shards cannot be made: %s needs a power of two", o.Shards, name)
	case o.CacheBytes > 0 && o.Shards > 1 && o.CacheBytes/int64(o.Shards) < minShard:
		return fmt.Errorf("%d cache shards of %d bytes are too small to hold filters and index blocks: take fewer, or a larger cache", o.Shards, o.CacheBytes/int64(o.Shards))
	}
	return nil
}

func (d *db) Get(key, buf []byte) ([]byte, bool, error) {
	value, found, err := d.library.get(key, buf)
	if err != nil {
		return nil, false, failure.Read(d.dir, err)
	}
	return value, found, nil
}

func (d *db) State() string { return property(d.library.db, "rocksdb.levelstats") }
func (d *db) Close() error  { return d.library.close() }

// Cache implements engine.DB. What is pinned changes when Gets open tables and close others.
func (d *db) Cache() engine.Cache {
	c := d.cache
	c.Pinned = number64(d.library.db, "rocksdb.block-cache-pinned-usage")
	return c
}

// Counts implements engine.DB. Opening a table is not attributed to a Get: its reads count as
// table_open, even those of partitions, and its lookups do not count.
func (d *db) Counts() engine.Counts {
	raw := d.raw()
	reads := d.files.counter.Reads()
	c := engine.Counts{
		Reads:            reads,
		BlockCacheHits:   int64(raw.hits),
		BlockCacheMisses: int64(raw.misses),
		TableCacheMisses: int64(raw.opens),
		FilterNegatives:  int64(raw.filter_negatives),
		FilterPositives:  int64(raw.filter_positives),
		LibraryBytes:     new(int64(raw.read_bytes)),
		LibraryReads:     new(int64(raw.reads)),
		LibraryMisses: &readpath.PerComponent{
			readpath.Filter: int64(raw.filter_misses),
			readpath.Index:  int64(raw.index_misses),
			readpath.Data:   int64(raw.data_misses + raw.dictionary_misses),
		},
		CacheLookups: new(int64(raw.lookups)),
		CacheInserts: new(int64(raw.inserts)),
	}
	if d.hasBlobs {
		c.LibraryBlobs = &engine.BlobReads{Reads: int64(raw.blob_reads), Bytes: int64(raw.blob_bytes)}
	}
	c.Accesses = d.accesses(&raw, reads.Count)
	// RocksDB asks the table cache once for each visit of a table and once for each value in a blob file.
	c.TableCacheHits = c.FilterNegatives + c.Accesses.Probed + reads.Count[readpath.Blob] - c.TableCacheMisses
	return c
}

// raw returns what RocksDB and its cache count.
func (d *db) raw() C.bridge_counts { return C.bridge_count(d.library.db) }

// accesses adds the hits that RocksDB counts to the blocks read. The cache wrapper splits
// the hits of top indexes from those of other indexes.
func (d *db) accesses(raw *C.bridge_counts, reads readpath.PerComponent) readpath.Accesses {
	a := readpath.Accesses{Count: reads, SplitExact: true}
	top := int64(raw.top_index_hits)
	a.Count[readpath.Filter] += int64(raw.filter_hits)
	a.Count[readpath.TopIndex] += top
	a.Count[readpath.Index] += int64(raw.index_hits) - top
	a.Count[readpath.Data] += int64(raw.data_hits)
	a.Count[readpath.Other] += int64(raw.dictionary_hits)
	// Where no filter is consulted, a visit shows in its data block; a few visits access two.
	a.Probed = a.Count[readpath.Data]
	if d.filtered {
		a.Probed = int64(raw.filter_positives)
	}
	return a
}

func (d *db) Check(run engine.Counts) []readpath.Check {
	return append(checkCounts(run), d.catalog.Check(), d.files.check())
}

// checkCounts compares RocksDB's tickers, its cache, and the reads of the files by region.
// RocksDB ignores a damaged filter; then a block was read and not inserted in the cache.
func checkCounts(run engine.Counts) []readpath.Check {
	return append(append(append(region.Checks(run), checkBlocks(run)...), checkBlobs(run)...),
		region.Equal("library_reads", "reads as RocksDB counts them", *run.LibraryReads, "reads of tables and blob files", run.Reads.Count.Sum()),
		region.Equal("library_bytes", "bytes read as RocksDB counts them", *run.LibraryBytes, "bytes read", run.Reads.Bytes.Sum()),
		region.Equal("lookups", "lookups that reached the block cache", *run.CacheLookups, "hits and misses", run.BlockCacheHits+run.BlockCacheMisses),
		region.Equal("whole_blocks", "blocks put into the block cache", *run.CacheInserts, "blocks read", run.Reads.Count.Blocks()))
}

// checkBlocks compares the blocks that were read with RocksDB's tickers.
func checkBlocks(run engine.Counts) []readpath.Check {
	r, m := &run.Reads.Count, run.LibraryMisses
	return []readpath.Check{
		region.Equal("block_reads", "blocks read", r.Blocks(), "block cache misses", run.BlockCacheMisses),
		region.Equal("filter_reads", "filter blocks read", r[readpath.Filter], "misses of filters", m[readpath.Filter]),
		region.Equal("index_reads", "index blocks read", r[readpath.TopIndex]+r[readpath.Index], "misses of indexes", m[readpath.Index]),
		region.Equal("data_reads", "data and other blocks read", r[readpath.Data]+r[readpath.Other], "misses of data", m[readpath.Data]),
	}
}

// checkBlobs compares reads of values with RocksDB's perf context, which does not count the reads that open
// a blob file.
func checkBlobs(run engine.Counts) []readpath.Check {
	if run.LibraryBlobs == nil {
		return nil
	}
	return []readpath.Check{
		region.Equal("blob_reads", "values read from blob files", run.Reads.Count[readpath.Blob], "as RocksDB counts them", run.LibraryBlobs.Reads),
		region.Equal("blob_bytes", "bytes of values read from blob files", run.Reads.Bytes[readpath.Blob], "as RocksDB counts them", run.LibraryBlobs.Bytes),
	}
}
