package pebblev2

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable/block"

	"getio/engine/pebbledb"
)

// seekCategory is the category in which the library counts the seeks.
var seekCategory = block.RegisterCategory("getio-seek", block.LatencySensitiveQoSLevel)

// seekGet looks a key up by a seek for its prefix: the only way in which the library
// consults the filters of L6 (options.go, IterOptions.UseL6Filters).
func (d *db) seekGet(key, buf []byte) (value []byte, found bool, err error) {
	it, err := d.pebble.NewIter(&pebble.IterOptions{UseL6Filters: true, Category: seekCategory})
	if err != nil {
		return nil, false, pebbledb.ReadError(d.dir, err)
	}
	buf = buf[:0]
	if found = it.SeekPrefixGE(key) && bytes.Equal(it.Key(), key); found {
		if value, err = it.ValueAndErr(); err == nil {
			buf = append(buf, value...)
		}
	}
	if closing := it.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, false, pebbledb.ReadError(d.dir, err)
	}
	return buf, found, nil
}
