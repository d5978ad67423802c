package pebblev2

import (
	"math"

	"github.com/cockroachdb/pebble/v2"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/sstfile"
	"getio/engine/readpath"
	"getio/engine/region"
)

// db is a database opened for measuring.
type db struct {
	dir         string
	pebble      *pebble.DB
	counter     *region.Counter
	catalog     *sstfile.Catalog
	singleLevel bool // see sstfile.Catalog.SingleLevel
	cache       engine.Cache
	seek        bool // Gets also consult the filters of the last level
}

func (d *db) Get(key, buf []byte) ([]byte, bool, error) {
	if d.seek {
		return d.iterate(iterOptions(true)).Get(key, buf)
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
		FilterNegatives:  m.Filter.Hits,
		FilterPositives:  m.Filter.Misses,
	}
	addLibraryCounts(&c, m)
	c.Accesses = pebbledb.Accesses(c, d.singleLevel)
	return c
}

func (d *db) Check(run engine.Counts) []readpath.Check {
	return append(append(region.Checks(run), d.catalog.Check()), libraryChecks(run)...)
}

func (d *db) Cache() engine.Cache { return d.cache }
func (d *db) State() string       { return d.pebble.Metrics().String() }
func (d *db) Close() error        { return d.pebble.Close() }

func (d *db) iterate(o *pebble.IterOptions) pebbledb.Iteration {
	it, err := d.pebble.NewIter(o)
	return pebbledb.Iteration{Dir: d.dir, Iterator: it, Err: err}
}

func (d *db) Scan(first, last []byte, each func(key, value []byte) error) error {
	return d.iterate(&pebble.IterOptions{LowerBound: first, UpperBound: last}).ScanFrom(first, math.MaxInt, each)
}

func (d *db) ScanFrom(first []byte, n int, each func(key, value []byte) error) error {
	return d.iterate(iterOptions(false)).ScanFrom(first, n, each)
}

func (d *db) Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error {
	return d.iterate(iterOptions(d.seek)).Multiget(keys, each)
}
