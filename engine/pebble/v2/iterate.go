package pebblev2

import (
	"github.com/cockroachdb/pebble/v2"

	"getio/engine/pebble/pebbledb"
)

func (d *db) iterate(o *pebble.IterOptions) pebbledb.Iteration {
	it, err := d.pebble.NewIter(o)
	return pebbledb.Iteration{Dir: d.dir, Iterator: it, Err: err}
}

// Scan implements engine.Ordered.
func (d *db) Scan(first, last []byte, each func(key, value []byte) error) error {
	return d.iterate(&pebble.IterOptions{LowerBound: first, UpperBound: last}).Scan(each)
}

// ScanFrom implements engine.Ordered.
func (d *db) ScanFrom(first []byte, n int, each func(key, value []byte) error) error {
	return d.iterate(iterOptions(false)).ScanFrom(first, n, each)
}

// Multiget implements engine.Ordered.
func (d *db) Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error {
	return d.iterate(iterOptions(d.seek)).Multiget(keys, each)
}
