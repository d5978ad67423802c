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
	"getio/dataset/popularity"
)

// Gets is the sequence of keys that a run asks for. It is safe for concurrent
// use, but for Prepare.
type Sequence interface {
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
	Unknown bool   // nothing is known of the key: whatever comes is right
	Index   uint64 // which key; its meaning is the sequence's own
}

// checkBytesEvery is how often a value's bytes are compared and not only its
// length: every block that a Get reads is guarded by a checksum, so that a
// value of another key is the only thing left to catch.
const checkBytesEvery = 16

// Random says how keys are drawn.
type Random struct {
	Seed       uint64
	Absent     float64 // fraction of the Gets that ask for absent keys
	Popularity popularity.Popularity
}

// of is the distribution of n keys; nil if they are all alike.
func (r Random) of(n uint64) *popularity.Distribution {
	if r.Popularity.Uniform() {
		return nil
	}
	return r.Popularity.Of(n, r.Seed)
}

// key is the random number that decides on the key of Get number g.
func (r Random) key(g int64) uint64 { return dataset.Draw(r.Seed+keyStream<<32, uint64(g)) }

// popular is the random number that decides on all there is to decide of popular key
// number n but for that: each of its Gets is to ask for the same.
func (r Random) popular(n uint64) uint64 { return dataset.Draw(r.Seed+popularStream<<32, n) }

// absent tells whether Get number g asks for an absent key.
func (r Random) absent(g int64) bool {
	return r.Absent > 0 && dataset.Draw(r.Seed+absentStream<<32, uint64(g)) < threshold(r.Absent)
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
	popularStream
)

// written asks for the keys of a dataset that getio or the published tool
// wrote, all of them known.
type written struct {
	keys    dataset.Keyspace
	values  dataset.Values // nil: only that a key is found is checked
	random  Random
	popular *popularity.Distribution // nil if all keys are alike
}

// Written returns Gets of the dataset's keys. Absent ones were never written.
// values may be nil if they are not known.
func Written(keys dataset.Keyspace, values dataset.Values, r Random) Sequence {
	return &written{keys: keys, values: values, random: r, popular: r.of(keys.Len())}
}

func (w *written) Kind() string                              { return w.keys.Kind() }
func (*written) Prepare(context.Context, int64, int64) error { return nil }
func (*written) Close() error                                { return nil }

func (w *written) Key(g int64, buf []byte) ([]byte, Want) {
	if cap(buf) < dataset.KeySize {
		buf = make([]byte, dataset.KeySize)
	}
	buf = buf[:dataset.KeySize]
	draw := w.random.key(g)
	var index uint64
	if w.popular != nil {
		index = w.popular.Number(draw)
		draw = w.random.popular(index)
	} else {
		index = dataset.Bounded(draw, w.keys.Len())
	}
	if w.random.absent(g) {
		w.keys.Absent(draw, (*[dataset.KeySize]byte)(buf))
		return buf, Want{}
	}
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
	return fmt.Sprintf("key %x must exist and was not found: the database does not hold what it should, so no figure of this run is valid", m.Key)
}

func checkFound(want Want, key []byte, found bool) error {
	switch {
	case want.Unknown:
	case want.Present && !found:
		return &Missing{Key: bytes.Clone(key)}
	case !want.Present && found:
		return fmt.Errorf("key %x must not exist and was found: the database does not hold what it should, so no figure of this run is valid", key)
	}
	return nil
}
