package pebbledb

import (
	"bytes"

	"getio/engine/failure"
)

// Iterator is the part of either library's iterator that scans and seeks use.
type Iterator interface {
	Next() bool
	SeekGE(key []byte) bool
	SeekPrefixGE(prefix []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	Close() error
}

// Iteration is a new iterator over the database in Dir, or the error of making one. Each
// method closes the iterator.
type Iteration struct {
	Dir      string
	Iterator Iterator
	Err      error
}

// ScanFrom calls each with the first n keys at or after first, as engine.Ordered
// specifies. It does not advance the iterator past the last of them.
func (i Iteration) ScanFrom(first []byte, n int, each func(key, value []byte) error) error {
	return i.use(func(it Iterator) (stopped, err error) {
		for ok := it.SeekGE(first); ok; ok = it.Next() {
			value, err := it.ValueAndErr()
			if err != nil {
				return nil, err
			}
			stopped = each(it.Key(), value)
			if n--; n == 0 || stopped != nil {
				break
			}
		}
		return stopped, nil
	})
}

// Multiget looks up the keys in turn, as engine.Ordered specifies, with prefix seeks.
// These consult filters as Gets do, and start where the previous seek ended.
func (i Iteration) Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error {
	return i.use(func(it Iterator) (stopped, err error) {
		for n, key := range keys {
			value, found, err := seek(it, key)
			if err != nil {
				return nil, err
			}
			if stopped := each(n, value, found); stopped != nil {
				return stopped, nil
			}
		}
		return nil, nil
	})
}

// Get looks up a key with a prefix seek and copies its value to buf[:0]. Only prefix
// seeks consult the filters of L6 (Pebble: options.go, IterOptions.UseL6Filters).
func (i Iteration) Get(key, buf []byte) (value []byte, found bool, err error) {
	buf = buf[:0]
	err = i.use(func(it Iterator) (stopped, err error) {
		value, found, err = seek(it, key)
		buf = append(buf, value...)
		return nil, err
	})
	if err != nil {
		return nil, false, err
	}
	return buf, found, nil
}

// use calls do and closes the iterator. It returns why do stopped, or the error of the library.
func (i Iteration) use(do func(Iterator) (stopped, err error)) error {
	if i.Err != nil {
		return failure.Read(i.Dir, i.Err)
	}
	stopped, err := do(i.Iterator)
	if closing := i.Iterator.Close(); err == nil {
		err = closing
	}
	if err != nil && stopped == nil {
		return failure.Read(i.Dir, err)
	}
	return stopped
}

// seek moves to the key. value is valid until the iterator moves.
func seek(it Iterator, key []byte) (value []byte, found bool, err error) {
	if !it.SeekPrefixGE(key) || !bytes.Equal(it.Key(), key) {
		return nil, false, it.Error()
	}
	value, err = it.ValueAndErr()
	return value, true, err
}
