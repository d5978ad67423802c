package pebblev2

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable/block"

	"getio/engine/failure"
	"getio/engine/pebbledb"
)

// seekCategory is the category in which the library counts the seeks.
var seekCategory = block.RegisterCategory("getio-seek", block.LatencySensitiveQoSLevel)

// seekGet is Get where filters of the last level are to be consulted.
func (d *db) seekGet(key, buf []byte) (value []byte, found bool, err error) {
	it, err := d.pebble.NewIter(&pebble.IterOptions{UseL6Filters: true, Category: seekCategory})
	if err != nil {
		return nil, false, failure.Read(d.dir, err)
	}
	return pebbledb.Seek(d.dir, it, key, buf)
}

// Scan implements engine.DB.
func (d *db) Scan(first, last []byte, each func(key, value []byte) error) error {
	it, err := d.pebble.NewIter(&pebble.IterOptions{LowerBound: first, UpperBound: last})
	if err != nil {
		return failure.Read(d.dir, err)
	}
	return pebbledb.Scan(d.dir, it, each)
}
