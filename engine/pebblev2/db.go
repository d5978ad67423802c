package pebblev2

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/pebbledb"
	"getio/engine/region"
	"getio/engine/sstfile"
	"getio/readpath"
	"getio/record"
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
		FilterMaybes:     m.Filter.Misses,
		CategoryBytes:    getBytes(m),
	}
	shared := c.BlockCacheMisses - (c.Reads.Count.Sum() - c.Reads.Footers)
	c.SharedLoads = &shared
	c.Accesses = pebbledb.Accesses(c, d.singleLevel)
	return c
}

// getCategory is the category in which the library counts Gets (metrics.go).
const getCategory = "pebble-get"

// getBytes is what the library says that Gets read past the block cache. It
// counts index, data and filter blocks without their trailers.
func getBytes(m *pebble.Metrics) *int64 {
	var n int64
	for _, s := range m.CategoryStats {
		if s.Category.String() == getCategory || s.Category == seekCategory {
			n += int64(s.CategoryStats.BlockBytes - s.CategoryStats.BlockBytesInCache)
		}
	}
	return &n
}

func (d *db) Check(run engine.Counts) []record.Check {
	return append(region.Checks(run), d.catalog.Check(),
		checkCategoryBytes(run),
		record.Check{
			Name:   "shared_loads",
			OK:     *run.SharedLoads >= 0,
			Detail: fmt.Sprintf("%d block cache misses shared the read of another Get", *run.SharedLoads),
		})
}

// checkCategoryBytes holds the bytes that the library says Gets read against
// those that were counted at the files.
func checkCategoryBytes(run engine.Counts) record.Check {
	var bytes, reads int64
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		bytes += run.Reads.Bytes[c]
		reads += run.Reads.Count[c]
	}
	return region.Equal("category_bytes", "block bytes by category", *run.CategoryBytes,
		"bytes read without trailers", bytes-region.TrailerLen*reads)
}

func (d *db) Cache() engine.Cache { return d.cache }
func (d *db) State() string       { return d.pebble.Metrics().String() }
func (d *db) Close() error        { return d.pebble.Close() }
