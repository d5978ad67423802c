package pebbledb

import (
	"bytes"

	"getio/engine/failure"
)

// Iterator is the part of either library's iterator that scans and seeks use. The
// functions of this package close it.
type Iterator interface {
	First() bool
	Next() bool
	SeekGE(key []byte) bool
	SeekPrefixGE(prefix []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	Close() error
}

// Scan calls each with every record of the iterator, as engine.Ordered specifies. dir is
// the database directory, for errors.
func Scan(dir string, it Iterator, each func(key, value []byte) error) error {
	var stopped, err error
	for ok := it.First(); ok && stopped == nil && err == nil; ok = it.Next() {
		stopped, err = emit(it, each)
	}
	return finish(dir, it, stopped, err)
}

// ScanFrom calls each with the first n keys at or after first, as engine.Ordered
// specifies. It does not advance the iterator past the last of them.
func ScanFrom(dir string, it Iterator, first []byte, n int, each func(key, value []byte) error) error {
	var stopped, err error
	for ok := it.SeekGE(first); ok; ok = it.Next() {
		if stopped, err = emit(it, each); stopped != nil || err != nil {
			break
		}
		if n--; n == 0 {
			break
		}
	}
	return finish(dir, it, stopped, err)
}

// Multiget looks up the keys in turn, as engine.Ordered specifies, with prefix seeks.
// These consult filters as Gets do, and start where the previous seek ended.
func Multiget(dir string, it Iterator, keys [][]byte, each func(i int, value []byte, found bool) error) error {
	var stopped, err error
	for i, key := range keys {
		found := it.SeekPrefixGE(key) && bytes.Equal(it.Key(), key)
		var value []byte
		if found {
			value, err = it.ValueAndErr()
		} else {
			err = it.Error()
		}
		if err == nil {
			stopped = each(i, value, found)
		}
		if stopped != nil || err != nil {
			break
		}
	}
	return finish(dir, it, stopped, err)
}

// emit calls each with the iterator's current record.
func emit(it Iterator, each func(key, value []byte) error) (stopped, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, err
	}
	return each(it.Key(), value), nil
}

// finish closes the iterator and returns the error of each or of the iterator.
func finish(dir string, it Iterator, stopped, err error) error {
	if closing := it.Close(); err == nil {
		err = closing
	}
	if err != nil && stopped == nil {
		return failure.Read(dir, err)
	}
	return stopped
}

// Seek looks up a key with a prefix seek and copies its value to buf[:0]. Only prefix
// seeks consult the filters of L6 (Pebble: options.go, IterOptions.UseL6Filters).
func Seek(dir string, it Iterator, key, buf []byte) (value []byte, found bool, err error) {
	if found = it.SeekPrefixGE(key) && bytes.Equal(it.Key(), key); found {
		if value, err = it.ValueAndErr(); err == nil {
			buf = append(buf[:0], value...)
		}
	}
	if closing := it.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, false, failure.Read(dir, err)
	}
	if !found {
		buf = buf[:0]
	}
	return buf, found, nil
}
