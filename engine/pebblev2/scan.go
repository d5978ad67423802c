package pebblev2

import (
	"github.com/cockroachdb/pebble/v2"

	"getio/engine"
	"getio/engine/pebbledb"
)

// Scan implements engine.DB.
func (d *db) Scan(first, last []byte, each func(key []byte, value engine.Value) error) (err error) {
	it, err := d.pebble.NewIter(&pebble.IterOptions{LowerBound: first, UpperBound: last})
	if err != nil {
		return pebbledb.ReadError(d.dir, err)
	}
	v := value{dir: d.dir}
	var stopped error
	for ok := it.First(); ok && stopped == nil; ok = it.Next() {
		v.LazyValue = it.LazyValue()
		stopped = each(it.Key(), &v)
	}
	if err := it.Close(); err != nil && stopped == nil {
		return pebbledb.ReadError(d.dir, err)
	}
	return stopped
}

// value is a value that the library may not have read yet.
type value struct {
	pebble.LazyValue
	dir string
}

func (v *value) Bytes() ([]byte, error) {
	b, _, err := v.Value(nil)
	if err != nil {
		return nil, pebbledb.ReadError(v.dir, err)
	}
	return b, nil
}
