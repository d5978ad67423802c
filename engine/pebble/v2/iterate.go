package pebblev2

import (
	"github.com/cockroachdb/pebble/v2"

	"getio/engine/failure"
	"getio/engine/pebble/pebbledb"
)

// seekGet is a Get that also consults the filters of the last level.
func (d *db) seekGet(key, buf []byte) (value []byte, found bool, err error) {
	it, err := d.pebble.NewIter(iterOptions(true))
	if err != nil {
		return nil, false, failure.Read(d.dir, err)
	}
	return pebbledb.Seek(d.dir, it, key, buf)
}

// Scan implements engine.Ordered.
func (d *db) Scan(first, last []byte, each func(key, value []byte) error) error {
	it, err := d.pebble.NewIter(&pebble.IterOptions{LowerBound: first, UpperBound: last})
	if err != nil {
		return failure.Read(d.dir, err)
	}
	return pebbledb.Scan(d.dir, it, each)
}

// ScanFrom implements engine.Ordered.
func (d *db) ScanFrom(first []byte, n int, each func(key, value []byte) error) error {
	it, err := d.pebble.NewIter(iterOptions(false))
	if err != nil {
		return failure.Read(d.dir, err)
	}
	return pebbledb.ScanFrom(d.dir, it, first, n, each)
}

// Multiget implements engine.Ordered.
func (d *db) Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error {
	it, err := d.pebble.NewIter(iterOptions(d.seek))
	if err != nil {
		return failure.Read(d.dir, err)
	}
	return pebbledb.Multiget(d.dir, it, keys, each)
}
