package enginetest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"testing"

	"getio/dataset"
	"getio/engine"
	"getio/tree/readpath"
)

// scanFrom holds bounded scans, from keys that exist and from such that do not, against
// the sorted list of all keys.
func (l *loaded) scanFrom(t *testing.T) {
	sorted, numbers := l.inOrder()
	requireScan := func(t *testing.T, db engine.Ordered, first []byte, n int) {
		at := sort.Search(len(sorted), func(i int) bool { return bytes.Compare(sorted[i], first) >= 0 })
		want := sorted[at:min(at+n, len(sorted))]
		met := 0
		err := db.ScanFrom(first, n, func(key, value []byte) error {
			if met >= len(want) || !bytes.Equal(key, want[met]) {
				t.Fatalf("scan of %d from %x: key %x in place %d", n, first, key, met)
			}
			if !l.values.Check(numbers[string(key)], value) {
				t.Fatalf("scan of %d from %x: key %x has the value %x", n, first, key, value)
			}
			met++
			return nil
		})
		if err != nil || met != len(want) {
			t.Errorf("scan of %d from %x met %d keys, expected are %d (%v)", n, first, met, len(want), err)
		}
	}
	cfg := engine.OpenConfig{CacheBytes: 1 << 20, Operation: engine.OperationScan}
	scans := func(t *testing.T, db engine.Ordered, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		var key [dataset.KeySize]byte
		for i := range uint64(300) {
			l.keys.Absent(seed*1000+i, &key)
			if i%3 > 0 {
				copy(key[:], sorted[random.IntN(len(sorted))])
			}
			requireScan(t, db, key[:], 1+random.IntN(200))
		}
	}
	db := l.ordered(t, cfg)
	before := db.Counts()
	var workers sync.WaitGroup
	for seed := range uint64(4) {
		workers.Go(func() { scans(t, db, seed) })
	}
	workers.Wait()
	requireScan(t, db, sorted[len(sorted)-5], 100)
	requireScan(t, db, sorted[len(sorted)-1], 1)
	requireScan(t, db, bytes.Repeat([]byte{0xff}, dataset.KeySize+1), 10)
	requireScan(t, db, nil, 3)
	run := db.Counts().Sub(before)
	holds(t, db.Check(run))
	if run.Accesses.Count[readpath.Filter] != 0 || run.Reads.Count[readpath.Filter] != 0 {
		t.Errorf("scans asked for %d filters", run.Accesses.Count[readpath.Filter])
	}
	stop := errors.New("enough")
	if err := db.ScanFrom(sorted[0], 10, func(_, _ []byte) error { return stop }); err != stop {
		t.Errorf("a scan that was told to stop: %v", err)
	}
	l.uncachedOrdered(t, engine.OperationScan, func(db engine.Ordered) { scans(t, db, 9) })
	l.nothingBehind(t, sorted)
}

// nothingBehind the last key is read: a scan of one key reads one data block of each
// sorted run, or two where the first ends before the key, and every further key costs
// at most one more.
func (l *loaded) nothingBehind(t *testing.T, sorted [][]byte) {
	db := l.ordered(t, engine.OpenConfig{Operation: engine.OperationScan})
	runs := int64(0)
	for _, level := range l.store(t).Shape().Levels {
		runs += max(int64(level.Sublevels), 1)
	}
	data := func(first []byte, n int) int64 {
		before := db.Counts()
		check(t, db.ScanFrom(first, n, func(_, _ []byte) error { return nil }))
		return db.Counts().Sub(before).Reads.Count[readpath.Data]
	}
	for i := 0; i < len(sorted)-100; i += 997 {
		reads := data(sorted[i], 1)
		if reads < 1 || reads > 2*runs {
			t.Fatalf("a scan of one key reads %d data blocks of %d sorted runs", reads, runs)
		}
		for n := 2; n < 30; n++ {
			more := data(sorted[i], n)
			if more < reads || more > reads+2 {
				t.Fatalf("scans of %d and %d keys read %d and %d data blocks", n-1, n, reads, more)
			}
			reads = more
		}
	}
}

// multiget finds keys that exist with their values, and no others, in batches with
// both and with a key twice.
func (l *loaded) multiget(t *testing.T) {
	sorted, numbers := l.inOrder()
	batches := func(t *testing.T, db engine.Ordered, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 2))
		for range 200 {
			var batch [][]byte
			for range 1 + random.IntN(50) {
				key := bytes.Clone(sorted[random.IntN(len(sorted))])
				if random.IntN(4) == 0 {
					key[20]++
				}
				batch = append(batch, key)
			}
			batch = append(batch, batch[0])
			slices.SortFunc(batch, bytes.Compare)
			at := 0
			err := db.Multiget(batch, func(i int, value []byte, found bool) error {
				number, exists := numbers[string(batch[i])]
				if i != at || found != exists || found && !l.values.Check(number, value) {
					t.Fatalf("key %x, number %d of the batch in place %d: found %v with %x", batch[i], i, at, found, value)
				}
				at++
				return nil
			})
			if err != nil || at != len(batch) {
				t.Fatalf("%d of %d keys: %v", at, len(batch), err)
			}
		}
	}
	db := l.ordered(t, engine.OpenConfig{CacheBytes: 1 << 20, Operation: engine.OperationMultiget})
	before := db.Counts()
	var workers sync.WaitGroup
	for seed := range uint64(4) {
		workers.Go(func() { batches(t, db, seed) })
	}
	workers.Wait()
	holds(t, db.Check(db.Counts().Sub(before)))
	stop := errors.New("enough")
	if err := db.Multiget(sorted[:3], func(int, []byte, bool) error { return stop }); err != stop {
		t.Errorf("a batch that was told to stop: %v", err)
	}
	l.uncachedOrdered(t, engine.OperationMultiget, func(db engine.Ordered) { batches(t, db, 9) })
}

// uncachedOrdered: without a cache, every access is a read, component by component.
func (l *loaded) uncachedOrdered(t *testing.T, o engine.Operation, operate func(engine.Ordered)) {
	t.Helper()
	db := l.ordered(t, engine.OpenConfig{Operation: o})
	before := db.Counts()
	operate(db)
	run := db.Counts().Sub(before)
	holds(t, db.Check(run))
	accesses, reads := run.Accesses, run.Reads.Count
	if accesses.Count[readpath.Filter] != reads[readpath.Filter] || accesses.Count[readpath.TopIndex] != reads[readpath.TopIndex] ||
		accesses.Rest() != reads[readpath.Index]+reads[readpath.Data]+reads[readpath.Other] {
		t.Errorf("%s without a cache: accesses %v, reads %v", o, accesses.Count, reads)
	}
}
