package pebblev1

import (
	"bytes"

	"github.com/cockroachdb/pebble"

	"getio/engine/pebbledb"
)

// wholeKeys is the library's own comparer, but that it takes a whole key as its
// prefix, which seeks by prefix need and the library's lacks.
var wholeKeys = func() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Split = func(key []byte) int { return len(key) }
	return &c
}()

// seekGet looks a key up by a seek for its prefix: the only way in which the library
// consults the filters of L6 (options.go, IterOptions.UseL6Filters).
func (d *db) seekGet(key, buf []byte) (value []byte, found bool, err error) {
	it, err := d.pebble.NewIter(&pebble.IterOptions{UseL6Filters: true})
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
