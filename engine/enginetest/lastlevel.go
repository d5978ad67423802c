package enginetest

import (
	"testing"

	"getio/dataset"
	"getio/engine"
	"getio/tree/readpath"
)

// lastLevelFilters are consulted when they are asked for: every key is found with
// its value, absent ones are ruled out in the last level too, and all counts hold.
func (l *loaded) lastLevelFilters(t *testing.T) {
	s := l.store(t)
	shape := s.Shape()
	if shape.LastLevelFilters {
		l.everyFilter(t, s)
		return
	}
	if last := shape.Levels[len(shape.Levels)-1]; last.Level != 6 || last.FilterBytes == 0 {
		t.Fatalf("the suite's options make no filters in L6: the last level is %+v", last)
	}
	if without, with := l.absent(t, s, false), l.absent(t, s, true); without < 2000 || with*10 > without {
		t.Errorf("2000 absent keys ask for %d index and data blocks without filters of the last level, for %d with them", without, with)
	}

	db, err := s.Open(engine.OpenConfig{CacheBytes: 1 << 20, LastLevelFilters: true})
	check(t, err)
	defer db.Close()
	before := db.Counts()
	var value []byte
	for i := uint64(0); i < keys; i += 7 {
		value = l.requireValue(t, db, i, value)
	}
	for _, c := range db.Check(db.Counts().Sub(before)) {
		if !c.OK {
			t.Errorf("existing keys: %s: %s", c.Name, c.Detail)
		}
	}
}

// noFilters: filters that are ignored are neither read nor asked for, and every key is
// found all the same.
func (l *loaded) noFilters(t *testing.T) {
	db, err := l.store(t).Open(engine.OpenConfig{CacheBytes: 1 << 20, NoFilters: true})
	check(t, err)
	defer db.Close()
	before := db.Counts()
	var value []byte
	for i := uint64(0); i < keys; i += 7 {
		value = l.requireValue(t, db, i, value)
	}
	run := db.Counts().Sub(before)
	holds(t, db.Check(run))
	if run.Reads.Count[readpath.Filter] != 0 || run.Accesses.Count[readpath.Filter] != 0 {
		t.Errorf("%d filters were asked for, %d read", run.Accesses.Count[readpath.Filter], run.Reads.Count[readpath.Filter])
	}
}

// absent asks for 2000 absent keys and returns how many index and data blocks that
// took.
func (l *loaded) absent(t *testing.T, s engine.Store, seek bool) (probed int64) {
	t.Helper()
	db, err := s.Open(engine.OpenConfig{CacheBytes: 8 << 20, LastLevelFilters: seek})
	check(t, err)
	defer db.Close()
	var key [dataset.KeySize]byte
	before := db.Counts()
	for i := range uint64(2000) {
		l.keys.Absent(i, &key)
		if _, found, err := db.Get(key[:], nil); err != nil || found {
			t.Fatalf("absent key %d: found %v, error %v", i, found, err)
		}
	}
	run := db.Counts().Sub(before)
	for _, c := range db.Check(run) {
		if !c.OK {
			t.Errorf("absent keys, with last-level filters %v: %s: %s", seek, c.Name, c.Detail)
		}
	}
	return run.Accesses.Rest()
}

// everyFilter: where Gets consult the filters of all levels, absent keys are ruled
// out by them, and there is no other way to ask for.
func (l *loaded) everyFilter(t *testing.T, s engine.Store) {
	if probed := l.absent(t, s, false); probed*10 > 2000 {
		t.Errorf("2000 absent keys ask for %d index and data blocks", probed)
	}
	if read, unread := s.Shape().ComponentBytes(); read[readpath.Filter] == 0 || unread != 0 {
		t.Errorf("%d bytes of filters are read and %d are not", read[readpath.Filter], unread)
	}
	if db, err := s.Open(engine.OpenConfig{CacheBytes: 8 << 20, LastLevelFilters: true}); err == nil {
		db.Close()
		t.Error("last-level filters were taken for something to choose")
	}
}
