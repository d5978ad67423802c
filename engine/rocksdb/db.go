//go:build rocksdb

package rocksdb

import (
	"fmt"
	"math/bits"

	"getio/engine"
	"getio/engine/failure"
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
	if err := o.Device.Prepare(s.catalog.Paths()); err != nil {
		return nil, err
	}
	d := &db{
		dir:      s.dir.path,
		catalog:  s.catalog,
		files:    &files{regions: s.catalog.TableRegions, counter: &region.Counter{Trace: o.Trace}, device: o.Device},
		filtered: o.Operation.IsGet() && !o.NoFilters && !s.cfg.optimizeForHits && s.catalog.AllFiltered(),
	}
	var err error
	if d.library, err = openReading(s.dir.path, s.cfg, o, d.files, len(s.catalog.Paths())); err != nil {
		return nil, failure.Open("RocksDB", s.dir.path, err)
	}
	d.cache = engine.Cache{Bytes: o.CacheBytes, Shards: d.library.cacheShards()}
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

func (d *db) Cache() engine.Cache { return d.cache }
func (d *db) State() string       { return property(d.library.db, "rocksdb.levelstats") }
func (d *db) Close() error        { return d.library.close() }
