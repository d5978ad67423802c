// Package workload says which keys the Gets of a run ask for, and holds what
// they return against what must be there.
//
// A run's Gets are numbered from 0, warm-up included. Each Get's key follows
// from the seed and its number alone, so that a run asks for the same keys
// whatever its workers, its cache and its engine are.
package workload

import (
	"bytes"
	"context"
	"fmt"

	"getio/dataset"
)

// Gets is the sequence of keys that a run asks for. It is safe for concurrent
// use, but for Prepare.
type Gets interface {
	// Kind names where the keys come from, as records do.
	Kind() string
	// Prepare gets ready for the Gets first to first+n-1. It runs between the
	// timed parts of a run.
	Prepare(ctx context.Context, first, n int64) error
	// Key writes the key of Get number g over buf[:0] and says what to expect.
	Key(g int64, buf []byte) (key []byte, want Want)
	// Check holds the outcome of Get number g against what was expected.
	Check(g int64, want Want, key []byte, found bool, value []byte) error
	// Close gives up what the sequence holds open.
	Close() error
}

// Want is what a Get must return.
type Want struct {
	Present bool
	Index   uint64 // which key; its meaning is the sequence's own
}

// checkBytesEvery is how often a value's bytes are compared and not only its
// length: every block that a Get reads is guarded by a checksum, so that a
// value of another key is the only thing left to catch.
const checkBytesEvery = 16

// written asks for the keys of a dataset that getio or the published tool
// wrote: uniformly drawn, all of them known.
type written struct {
	keys   dataset.Keyspace
	values dataset.Values // nil: only that a key is found is checked
	seed   uint64
	absent uint64 // a draw below it asks for an absent key
}

// Written returns Gets of the dataset's keys, of which the given fraction asks
// for keys that were never written. values may be nil if they are not known.
func Written(keys dataset.Keyspace, values dataset.Values, seed uint64, absent float64) Gets {
	return &written{keys: keys, values: values, seed: seed, absent: threshold(absent)}
}

// threshold is the 64-bit number below which the given fraction of all draws
// lies. It is at most 2^64-1, so that a fraction of 1 misses one draw in 2^64.
func threshold(fraction float64) uint64 {
	if fraction >= 1 {
		return ^uint64(0)
	}
	return uint64(fraction * (1 << 63) * 2)
}

// Streams of the one seed. absentStream decides which Gets ask for absent
// keys, so that the others ask for the same keys at any such fraction.
const (
	keyStream = iota + 1
	absentStream
)

func (w *written) Kind() string                              { return w.keys.Kind() }
func (*written) Prepare(context.Context, int64, int64) error { return nil }
func (*written) Close() error                                { return nil }

func (w *written) Key(g int64, buf []byte) ([]byte, Want) {
	if cap(buf) < dataset.KeySize {
		buf = make([]byte, dataset.KeySize)
	}
	buf = buf[:dataset.KeySize]
	draw := dataset.Draw(w.seed+keyStream<<32, uint64(g))
	if w.absent != 0 && dataset.Draw(w.seed+absentStream<<32, uint64(g)) < w.absent {
		w.keys.Absent(draw, (*[dataset.KeySize]byte)(buf))
		return buf, Want{}
	}
	index := dataset.Bounded(draw, w.keys.Len())
	w.keys.Key(index, (*[dataset.KeySize]byte)(buf))
	return buf, Want{Present: true, Index: index}
}

func (w *written) Check(g int64, want Want, key []byte, found bool, value []byte) error {
	if err := checkFound(want, key, found); err != nil || !found || w.values == nil {
		return err
	}
	if len(value) != w.values.Size() {
		return fmt.Errorf("key %d (%x) has a value of %d bytes where %d were written: the database is not the one that getio.json describes",
			want.Index, key, len(value), w.values.Size())
	}
	if g%checkBytesEvery == 0 && !w.values.Check(want.Index, value) {
		return fmt.Errorf("key %d (%x) has a value that was never written to it: the database is not the one that getio.json describes", want.Index, key)
	}
	return nil
}

// Missing is the error for a key that must exist and does not.
type Missing struct{ Key []byte }

func (m *Missing) Error() string {
	return fmt.Sprintf("key %x must exist and was not found: the database does not hold what it should, so that no figure of this run counts", m.Key)
}

func checkFound(want Want, key []byte, found bool) error {
	switch {
	case want.Present && !found:
		return &Missing{Key: bytes.Clone(key)}
	case !want.Present && found:
		return fmt.Errorf("key %x must not exist and was found: the database does not hold what it should, so that no figure of this run counts", key)
	}
	return nil
}
