package engines_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
	"getio/workload"
)

// errEnough ends a scan early.
var errEnough = errors.New("enough")

// orderedKeys are all keys of a database in order, with their numbers.
type orderedKeys struct {
	*loaded
	sorted  [][]byte
	numbers map[string]uint64
}

func (l *loaded) inOrder() *orderedKeys {
	o := &orderedKeys{loaded: l, numbers: map[string]uint64{}}
	for i := range uint64(keys) {
		key := l.key(i)
		o.sorted = append(o.sorted, key)
		o.numbers[string(key)] = i
	}
	slices.SortFunc(o.sorted, bytes.Compare)
	return o
}

// ordered opens the database for scans. Every engine that passes the suite orders its keys.
func (l *loaded) ordered(t *testing.T, o engine.OpenConfig) engine.Ordered {
	t.Helper()
	ordered, err := engine.AsOrdered(l.open(t, o), engine.Info{})
	require.NoError(t, err)
	return ordered
}

// require runs a scan that must find the wanted keys in order, with their values.
func (o *orderedKeys) require(t *testing.T, want [][]byte, scan func(each func(key, value []byte) error) error) {
	t.Helper()
	found := 0
	err := scan(func(key, value []byte) error {
		if found >= len(want) || !bytes.Equal(key, want[found]) {
			t.Fatalf("key %x in place %d of %d", key, found, len(want))
		}
		require.True(t, o.values.Check(o.numbers[string(key)], value), "key %x has the value %x", key, value)
		found++
		return nil
	})
	if err != nil || found != len(want) {
		t.Fatalf("%d keys found, want %d (%v)", found, len(want), err)
	}
}

// scan finds every key once, in order, with its value, between any two bounds.
func (l *loaded) scan(t *testing.T) {
	db := l.ordered(t, engine.OpenConfig{CacheBytes: 8 << 20})
	all := l.inOrder()
	for _, c := range []struct{ from, to int }{{0, keys}, {100, 2000}, {keys - 1, keys}, {7, 7}} {
		var first, last []byte
		if c.from > 0 {
			first = all.sorted[c.from]
		}
		if c.to < keys {
			last = all.sorted[c.to]
		}
		all.require(t, all.sorted[c.from:c.to], func(each func(key, value []byte) error) error {
			return db.Scan(first, last, each)
		})
	}
	l.ranges(t, db)
	found := 0
	if err := db.Scan(nil, nil, func(_, _ []byte) error { found++; return errEnough }); err != errEnough || found != 1 {
		t.Errorf("a scan that was ended early: %v after %d keys", err, found)
	}
}

// mostInRange is how many keys a range holds at most: a data block holds about six, and there are at
// most seven levels.
const mostInRange = 6 * 7

// ranges checks that the sampler's ranges together hold every key once, and none holds more keys
// than one data block of each level does.
func (l *loaded) ranges(t *testing.T, db engine.Ordered) {
	s, err := l.store(t).Sampler()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	type bounds struct{ first, last []byte }
	var all []bounds
	for n := range s.Ranges() {
		first, last, err := s.Range(n)
		require.NoError(t, err)
		all = append(all, bounds{first, last})
	}
	slices.SortFunc(all, func(a, b bounds) int {
		if order := bytes.Compare(a.first, b.first); order != 0 || b.last == nil {
			return order
		}
		if a.last == nil {
			return 1
		}
		return bytes.Compare(a.last, b.last) // empty ranges first
	})
	var end []byte
	found := 0
	for i, r := range all {
		if !bytes.Equal(r.first, end) || r.last != nil && bytes.Compare(r.first, r.last) > 0 || i+1 < len(all) && r.last == nil {
			t.Fatalf("a range is from %x to %x, the one before ends at %x", r.first, r.last, end)
		}
		before := found
		require.NoError(t, db.Scan(r.first, r.last, func(_, _ []byte) error { found++; return nil }))
		if n := found - before; n > mostInRange {
			t.Errorf("the range from %x to %x holds %d keys", r.first, r.last, n)
		}
		end = r.last
	}
	if found != keys {
		t.Errorf("%d ranges hold %d of %d keys", s.Ranges(), found, keys)
	}
	if s.Ranges() < 100 {
		t.Errorf("only %d ranges", s.Ranges())
	}
}

// scanFrom compares scans of a number of keys, from existing and from absent keys, with
// the sorted list of all keys.
func (l *loaded) scanFrom(t *testing.T) {
	all := l.inOrder()
	requireScan := func(db engine.Ordered, first []byte, n int) {
		at, _ := slices.BinarySearchFunc(all.sorted, first, bytes.Compare)
		all.require(t, all.sorted[at:min(at+n, keys)], func(each func(key, value []byte) error) error {
			return db.ScanFrom(first, n, each)
		})
	}
	run := l.operate(t, workload.Scan, func(db engine.Ordered, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		for i := range uint64(300) {
			first := l.absentKey(seed*1000 + i)
			if i%3 > 0 {
				first = all.sorted[random.IntN(keys)]
			}
			requireScan(db, first, 1+random.IntN(200))
		}
	}, func(db engine.Ordered) {
		requireScan(db, all.sorted[keys-5], 100)
		requireScan(db, all.sorted[keys-1], 1)
		requireScan(db, bytes.Repeat([]byte{0xff}, len(all.sorted[0])+1), 10)
		requireScan(db, nil, 3)
	})
	if run.Accesses.Count[readpath.Filter] != 0 || run.Reads.Count[readpath.Filter] != 0 {
		t.Errorf("scans asked for %d filters", run.Accesses.Count[readpath.Filter])
	}
	db := l.ordered(t, engine.OpenConfig{CacheBytes: 1 << 20, Operation: workload.Scan})
	if err := db.ScanFrom(all.sorted[0], 10, func(_, _ []byte) error { return errEnough }); err != errEnough {
		t.Errorf("a scan that was ended early: %v", err)
	}
	all.readsNothingBeyond(t)
}

// readsNothingBeyond checks that nothing is read beyond a scan's last key: a scan of one key
// reads one data block of each sorted run, or two where the first ends before the key,
// and every further key costs at most two more.
func (o *orderedKeys) readsNothingBeyond(t *testing.T) {
	db := o.ordered(t, engine.OpenConfig{Operation: workload.Scan})
	runs := int64(0)
	for _, level := range o.store(t).Shape().Levels {
		runs += max(int64(level.Sublevels), 1)
	}
	data := func(first []byte, n int) int64 {
		before := db.Counts()
		require.NoError(t, db.ScanFrom(first, n, func(_, _ []byte) error { return nil }))
		return db.Counts().Sub(before).Reads.Count[readpath.Data]
	}
	for i := 0; i < keys-100; i += 997 {
		reads := data(o.sorted[i], 1)
		if reads < 1 || reads > 2*runs {
			t.Fatalf("a scan of one key reads %d data blocks of %d sorted runs", reads, runs)
		}
		for n := 2; n < 30; n++ {
			more := data(o.sorted[i], n)
			if more < reads || more > reads+2 {
				t.Fatalf("scans of %d and %d keys read %d and %d data blocks", n-1, n, reads, more)
			}
			reads = more
		}
	}
}

// multiget finds existing keys with their values, and no others, in batches that hold
// both kinds and one key twice.
func (l *loaded) multiget(t *testing.T) {
	all := l.inOrder()
	l.operate(t, workload.Multiget, func(db engine.Ordered, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 2))
		for range 200 {
			all.requireBatch(t, db, all.batch(random))
		}
	}, nil)
	db := l.ordered(t, engine.OpenConfig{CacheBytes: 1 << 20, Operation: workload.Multiget})
	if err := db.Multiget(all.sorted[:3], func(int, []byte, bool) error { return errEnough }); err != errEnough {
		t.Errorf("a batch that was ended early: %v", err)
	}
}

func (o *orderedKeys) batch(random *rand.Rand) (batch [][]byte) {
	for range 1 + random.IntN(50) {
		key := bytes.Clone(o.sorted[random.IntN(keys)])
		if random.IntN(4) == 0 {
			key[20]++ // absent
		}
		batch = append(batch, key)
	}
	batch = append(batch, batch[0])
	slices.SortFunc(batch, bytes.Compare)
	return batch
}

func (o *orderedKeys) requireBatch(t *testing.T, db engine.Ordered, batch [][]byte) {
	t.Helper()
	at := 0
	err := db.Multiget(batch, func(i int, value []byte, found bool) error {
		number, exists := o.numbers[string(batch[i])]
		if i != at || found != exists || found && !o.values.Check(number, value) {
			t.Fatalf("key %x, number %d of the batch in place %d: found %v with %x", batch[i], i, at, found, value)
		}
		at++
		return nil
	})
	if err != nil || at != len(batch) {
		t.Fatalf("%d of %d keys: %v", at, len(batch), err)
	}
}

// operate runs seeded operations on four goroutines, then extra, with a cache, and returns what
// that counted. It also runs them without a cache, where every access must be a read.
func (l *loaded) operate(t *testing.T, operation workload.Kind, seeded func(db engine.Ordered, seed uint64), extra func(engine.Ordered)) engine.Counts {
	t.Helper()
	db := l.ordered(t, engine.OpenConfig{CacheBytes: 1 << 20, Operation: operation})
	run := enginetest.Measured(t, db, func() {
		var workers sync.WaitGroup
		for seed := range uint64(4) {
			workers.Go(func() { seeded(db, seed) })
		}
		workers.Wait()
		if extra != nil {
			extra(db)
		}
	})
	uncached := l.ordered(t, engine.OpenConfig{Operation: operation})
	all := enginetest.Measured(t, uncached, func() { seeded(uncached, 9) })
	accesses, reads := all.Accesses, all.Reads.Count
	if accesses.Count[readpath.Filter] != reads[readpath.Filter] || accesses.Count[readpath.TopIndex] != reads[readpath.TopIndex] ||
		accesses.Rest() != reads[readpath.Index]+reads[readpath.Data]+reads[readpath.Other] {
		t.Errorf("%s without a cache: accesses %v, reads %v", operation, accesses.Count, reads)
	}
	return run
}
