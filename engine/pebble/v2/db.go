package pebblev2

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
	"getio/tree/readpath"
)

// db is a database opened for measuring.
type db struct {
	dir         string
	pebble      *pebble.DB
	counter     *region.Counter
	catalog     *sstfile.Catalog
	singleLevel bool // as the catalog says
	cache       engine.Cache
	seek        bool // look keys up with an iterator, see iterate.go
}

func (d *db) Get(key, buf []byte) ([]byte, bool, error) {
	if d.seek {
		return d.seekGet(key, buf)
	}
	value, closer, err := d.pebble.Get(key)
	if err == pebble.ErrNotFound {
		return buf[:0], false, nil
	}
	if err != nil {
		return nil, false, failure.Read(d.dir, err)
	}
	buf = append(buf[:0], value...)
	return buf, true, closer.Close()
}

func (d *db) Counts() engine.Counts {
	m := d.pebble.Metrics()
	c := engine.Counts{
		Reads:            d.counter.Reads(),
		BlockCacheHits:   m.BlockCache.Hits,
		BlockCacheMisses: m.BlockCache.Misses,
		TableCacheHits:   m.FileCache.Hits,
		TableCacheMisses: m.FileCache.Misses,
		FilterNegatives:  m.Filter.Hits,
		FilterPositives:  m.Filter.Misses,
		CategoryBytes:    categoryBytes(m, ofGets),
	}
	shared := c.BlockCacheMisses - (c.Reads.Count.Sum() - c.Reads.Footers)
	c.SharedLoads = &shared
	c.Accesses = pebbledb.Accesses(c, d.singleLevel)
	return c
}

// getCategory is the category in which the library counts Gets (metrics.go).
const getCategory = "pebble-get"

// ofGets tells the categories of Gets, and of iterators in their place.
func ofGets(category string) bool {
	return category == getCategory || category == iterCategory.String()
}

// categoryBytes is what the library says was read past the block cache in the
// categories of those names. It counts index, data and filter blocks without their
// trailers.
func categoryBytes(m *pebble.Metrics, of func(name string) bool) *int64 {
	var n int64
	for _, s := range m.CategoryStats {
		if of(s.Category.String()) {
			n += int64(s.CategoryStats.BlockBytes - s.CategoryStats.BlockBytesInCache)
		}
	}
	return &n
}

func (d *db) Check(run engine.Counts) []readpath.Check {
	return append(region.Checks(run), d.catalog.Check(),
		checkCategoryBytes(run), checkSharedLoads(run))
}

func checkSharedLoads(run engine.Counts) readpath.Check {
	return readpath.Check{
		Name:   "shared_loads",
		OK:     *run.SharedLoads >= 0,
		Detail: fmt.Sprintf("%d block cache misses shared the read of another Get", *run.SharedLoads),
	}
}

// checkCategoryBytes holds the bytes that the library says Gets read against
// those that were counted at the files.
func checkCategoryBytes(run engine.Counts) readpath.Check {
	return region.Equal("category_bytes", "block bytes by category", *run.CategoryBytes,
		"bytes read without trailers", blockBytes(run.Reads))
}

// blockBytes are the bytes of the blocks that were read through the cache, without
// trailers.
func blockBytes(reads readpath.Reads) (n int64) {
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		n += reads.Bytes[c] - region.TrailerLen*reads.Count[c]
	}
	return n
}

func (d *db) Cache() engine.Cache { return d.cache }
func (d *db) State() string       { return d.pebble.Metrics().String() }
func (d *db) Close() error        { return d.pebble.Close() }
