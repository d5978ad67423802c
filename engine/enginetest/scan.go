package enginetest

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"getio/dataset"
	"getio/engine"
)

// scan meets every key once, in order, with its value, and stops where it is told.
func (l *loaded) scan(t *testing.T) {
	db := l.ordered(t, engine.OpenConfig{CacheBytes: 8 << 20})
	want, values := l.inOrder()
	for _, c := range []struct{ from, to int }{{0, keys}, {100, 2000}, {keys - 1, keys}, {7, 7}} {
		var first, last []byte
		if c.from > 0 {
			first = want[c.from]
		}
		if c.to < keys {
			last = want[c.to]
		}
		at := c.from
		err := db.Scan(first, last, func(key, value []byte) error {
			if at >= c.to || !bytes.Equal(key, want[at]) {
				t.Fatalf("scan from %d to %d: key %x in place %d", c.from, c.to, key, at)
			}
			if !l.values.Check(values[string(key)], value) {
				t.Fatalf("key %x: value %x", key, value)
			}
			at++
			return nil
		})
		if err != nil || at != c.to {
			t.Errorf("scan from %d to %d ended at %d: %v", c.from, c.to, at, err)
		}
	}
	l.ranges(t, db, len(want))
	stop, met := errors.New("enough"), 0
	if err := db.Scan(nil, nil, func(_, _ []byte) error { met++; return stop }); err != stop || met != 1 {
		t.Errorf("a scan that was told to stop: %v after %d keys", err, met)
	}
}

// inOrder are all keys in their order, and their numbers.
func (l *loaded) inOrder() (sorted [][]byte, numbers map[string]uint64) {
	numbers = map[string]uint64{}
	for i := range uint64(keys) {
		var key [dataset.KeySize]byte
		l.keys.Key(i, &key)
		sorted = append(sorted, key[:])
		numbers[string(key[:])] = i
	}
	slices.SortFunc(sorted, bytes.Compare)
	return sorted, numbers
}

// ordered opens the database as one whose keys have an order, as those of all engines
// have that the suite is run on.
func (l *loaded) ordered(t *testing.T, cfg engine.OpenConfig) engine.Ordered {
	t.Helper()
	s := l.store(t)
	db, err := s.Open(cfg)
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	ordered, err := engine.AsOrdered(db, s.Info())
	check(t, err)
	return ordered
}

// ranges of the sampler hold every key once.
func (l *loaded) ranges(t *testing.T, db engine.Ordered, want int) {
	s, err := l.store(t).Sampler()
	check(t, err)
	defer func() { check(t, s.Close()) }()
	var end []byte
	met := 0
	for n := range s.Ranges() {
		first, last, err := s.Range(n)
		check(t, err)
		if !bytes.Equal(first, end) || n+1 < s.Ranges() && bytes.Compare(first, last) >= 0 {
			t.Fatalf("range %d is from %x to %x, the one before ends at %x", n, first, last, end)
		}
		check(t, db.Scan(first, last, func(_, _ []byte) error { met++; return nil }))
		end = last
	}
	if end != nil || met != want {
		t.Errorf("%d ranges end at %x and hold %d of %d keys", s.Ranges(), end, met, want)
	}
	if s.Ranges() < 100 {
		t.Errorf("only %d ranges", s.Ranges())
	}
}
