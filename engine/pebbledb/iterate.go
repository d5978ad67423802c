package pebbledb

import (
	"bytes"

	"getio/engine/failure"
)

// Iterator is what Scan and Seek need of either library's iterator. It is theirs to
// close.
type Iterator interface {
	First() bool
	Next() bool
	SeekPrefixGE(prefix []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Close() error
}

// Scan calls each with all that the iterator meets, as engine.DB has it. dir is
// whose reads fail.
func Scan(dir string, it Iterator, each func(key, value []byte) error) error {
	var value []byte
	var stopped, err error
	for ok := it.First(); ok && stopped == nil && err == nil; ok = it.Next() {
		if value, err = it.ValueAndErr(); err == nil {
			stopped = each(it.Key(), value)
		}
	}
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
