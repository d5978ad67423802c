package pebbledb

import (
	"bytes"

	"getio/engine/failure"
)

// Iterator is what scans and seeks need of either library's iterator. It is theirs to
// close.
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

// Scan calls each with all that the iterator meets, as engine.DB has it. dir is
// whose reads fail.
func Scan(dir string, it Iterator, each func(key, value []byte) error) error {
	var stopped, err error
	for ok := it.First(); ok && stopped == nil && err == nil; ok = it.Next() {
		stopped, err = meet(it, each)
	}
	return end(dir, it, stopped, err)
}

// ScanFrom calls each with the first n keys from first on, as engine.Ordered has it:
// behind the last of them the iterator does not move on.
func ScanFrom(dir string, it Iterator, first []byte, n int, each func(key, value []byte) error) error {
	var stopped, err error
	for ok := it.SeekGE(first); ok; ok = it.Next() {
		if stopped, err = meet(it, each); stopped != nil || err != nil {
			break
		}
		if n--; n == 0 {
			break
		}
	}
	return end(dir, it, stopped, err)
}

// Multiget looks keys up one after another, as engine.Ordered has it, by seeks for them
// as prefixes: they consult filters as Gets do, and start from where the one before
// them ended.
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
	return end(dir, it, stopped, err)
}

// meet hands out what the iterator is at.
func meet(it Iterator, each func(key, value []byte) error) (stopped, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, err
	}
	return each(it.Key(), value), nil
}

// end closes an iterator that was stopped, or that failed.
func end(dir string, it Iterator, stopped, err error) error {
	if closing := it.Close(); err == nil {
		err = closing
	}
	if err != nil && stopped == nil {
		return failure.Read(dir, err)
	}
	return stopped
}

// Seek looks a key up by a seek for it as a prefix, and copies its value over
// buf[:0]. It is the only way in which the libraries consult the filters of L6
// (options.go, IterOptions.UseL6Filters).
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
