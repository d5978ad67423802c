// Package keysource chooses the key of each Get of a run, by a distribution (package popularity), and checks
// what the Get returns. The key exists or is an absent one.
//
// A run's Gets are numbered from 0, including the warm-up. The key of a Get depends only on the
// seed and its number, so a run uses the same keys with any workers, cache and engine.
package keysource

import (
	"bytes"
	"context"
	"fmt"

	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
)

// Names, in records, of the sources of keys that are not those of a dataset. Another one is workload.KindTrace.
const (
	KindSampled  = "sampled" // drawn from the tables
	KindKeysFile = "keys_file"
)

// Sequence is the sequence of keys that a run looks up. It is safe for concurrent use, except
// for Prepare.
type Sequence interface {
	// Prepare must be called before Gets first to first+n-1. It is not timed.
	Prepare(ctx context.Context, first, n int64) error
	// Key appends the key of Get g to buf[:0] and returns what to expect.
	Key(g int64, buf []byte) (key []byte, want Want)
	// Check compares the outcome of Get g with what was expected.
	Check(g int64, want Want, key []byte, found bool, value []byte) error
	// Close closes the files and databases of the sequence.
	Close() error
}

// Want is the expected outcome of a Get.
type Want struct {
	Present bool
	Unknown bool   // whether the key exists is unknown: any result is accepted
	Index   uint64 // for the sequence's own use
}

// checkBytesEvery: one value in checkBytesEvery is compared byte for byte, the others by length
// only. Blocks have checksums, so only the value of another key is left to detect.
const checkBytesEvery = 16

// random draws keys by their seed, popularity and share of absent ones.
type random workload.Keys

// of returns the distribution of n keys, or nil if all are equally popular.
func (r random) of(n uint64) *popularity.Distribution {
	if r.Popularity.Uniform() {
		return nil
	}
	return r.Popularity.Of(n, r.Seed)
}

// key returns the random number that chooses the key of Get g.
func (r random) key(g int64) uint64 { return dataset.Draw(r.Seed+keyStream<<32, uint64(g)) }

// popular returns the random number that determines everything else about popular key number n,
// so that all its Gets use the same key.
func (r random) popular(n uint64) uint64 { return dataset.Draw(r.Seed+popularStream<<32, n) }

// absent reports whether Get g looks up an absent key.
func (r random) absent(g int64) bool {
	return r.Absent > 0 && dataset.Draw(r.Seed+absentStream<<32, uint64(g)) < threshold(r.Absent)
}

// threshold returns the 64-bit number below which the given fraction of draws lies. It is at
// most 2^64-1, so a fraction of 1 misses one draw in 2^64.
func threshold(fraction float64) uint64 {
	if fraction >= 1 {
		return ^uint64(0)
	}
	return uint64(fraction * (1 << 63) * 2)
}

// Streams of random numbers from one seed. absentStream decides which Gets look up absent keys;
// the other Gets use the same keys for any share of absent ones.
const (
	keyStream = iota + 1
	absentStream
	popularStream
)

// written is a sequence of keys of a dataset of getio or of the published tool: all are known.
type written struct {
	keys    dataset.Keyspace
	values  *dataset.Values // nil: values are not checked
	random  random
	popular *popularity.Distribution // nil if all keys are equally popular
}

// Written returns Gets of the dataset's keys. Absent keys were never written. values may be nil
// if unknown.
func Written(keys dataset.Keyspace, values *dataset.Values, r workload.Keys) Sequence {
	return &written{keys: keys, values: values, random: random(r), popular: random(r).of(keys.Len())}
}

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
	return fmt.Sprintf("key %x must exist and was not found, so no figure of this run is valid: choose the database that the keys come from, or restore this one", m.Key)
}

func checkFound(want Want, key []byte, found bool) error {
	switch {
	case want.Unknown:
	case want.Present && !found:
		return &Missing{Key: bytes.Clone(key)}
	case !want.Present && found:
		return fmt.Errorf("key %x must not exist and was found, so no figure of this run is valid: choose the database that the keys are for", key)
	}
	return nil
}
