package engines_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
)

// get finds every key with its value and no absent key.
func (l *loaded) get(t *testing.T) {
	db := l.open(t, engine.OpenConfig{CacheBytes: 8 << 20})
	l.requireEvery(t, db, 1)
	for i := uint64(0); i < keys; i += 10 {
		requireAbsent(t, db, l.absentKey(i))
	}
}

// shape checks that the shape agrees with itself and with the files.
func (l *loaded) shape(t *testing.T) {
	s := l.store(t)
	shape := s.Shape()
	total := shape.Total()
	tables := l.tables(t)
	var onDisk int64
	for _, path := range tables {
		onDisk += size(t, path)
	}
	if total.Tables != int64(len(tables)) || total.Bytes != onDisk {
		t.Errorf("shape has %d tables of %d bytes, the directory %d of %d", total.Tables, total.Bytes, len(tables), onDisk)
	}
	if l.NoProperties && total.Records != 0 || !l.NoProperties && total.Records < keys {
		t.Errorf("shape has %d records for %d keys", total.Records, keys)
	}
	if (total.IndexBlocks == 0) != l.OneLevelIndex || len(shape.Levels) < 2 {
		t.Errorf("suite.Small makes a tree that is too simple: %d levels, %d second-level index blocks", len(shape.Levels), total.IndexBlocks)
	}
	if shape.IP1Bytes <= 0 || (shape.IP2Bytes == shape.IP1Bytes) != l.OneLevelIndex || shape.IP2Bytes < shape.IP1Bytes || shape.IP2Bytes >= total.Bytes {
		t.Errorf("IP1 %d, IP2 %d, database %d bytes", shape.IP1Bytes, shape.IP2Bytes, total.Bytes)
	}
	for _, level := range shape.Levels {
		for i, table := range level.TableList {
			assert.LessOrEqual(t, bytes.Compare(table.Smallest, table.Largest), 0, "L%d table %d: bounds out of order", level.Level, i)
			if level.Level > 0 && i > 0 && bytes.Compare(level.TableList[i-1].Largest, table.Smallest) >= 0 {
				t.Errorf("L%d tables %d and %d overlap", level.Level, i-1, i)
			}
		}
	}
	properties, known := s.Properties()
	var described uint64
	for _, p := range properties {
		described += p.Count
	}
	if known == l.NoProperties || known && described != uint64(total.Tables) {
		t.Errorf("properties known: %v, of %d tables, shape of %d", known, described, total.Tables)
	}
}

// tables lists the paths of the database's table files.
func (l *loaded) tables(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(l.dir, l.TableFiles))
	require.NoError(t, err)
	return paths
}

// counts runs the self-checks at several cache sizes, from a cold and from a warm cache.
func (l *loaded) counts(t *testing.T) {
	total := l.store(t).Shape().Total()
	for _, cache := range []int64{1 << 20, 4 << 20, 64 << 20} {
		db := l.open(t, engine.OpenConfig{CacheBytes: cache})
		for seed := range uint64(3) {
			run := enginetest.Measured(t, db, func() { l.read(t, db, 5_000, seed) })
			if data := run.Accesses.Count[readpath.Data]; data < 5_000*9/10 {
				t.Errorf("cache %d: %d data accesses for 4500 existing keys", cache, data)
			}
		}
		if cache > 2*total.Bytes {
			run := enginetest.Measured(t, db, func() { l.read(t, db, 5_000, 2) })
			assert.Zero(t, run.Reads.Count.Sum())
		}
	}
}

// uncached makes Gets without a cache, so that the accesses that the library counts are
// the reads of the files.
func (l *loaded) uncached(t *testing.T) {
	db := l.open(t, engine.OpenConfig{})
	run := enginetest.Measured(t, db, func() { l.read(t, db, 5_000, 1) })
	a, r := run.Accesses.Count, run.Reads.Count
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex} {
		assert.Equal(t, r[c], a[c], c)
	}
	assert.Equal(t, r[readpath.Index]+r[readpath.Data], a[readpath.Index]+a[readpath.Data])
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		if none := c == readpath.Index && l.OneLevelIndex || slices.Contains(l.outsideCache, c); (r[c] == 0) != none {
			t.Errorf("%s was read %d times", c, r[c])
		}
	}
}

// tracedAccesses requires the same accesses in the same order, whether each is a read or filters and indexes stay in
// memory.
func (l *loaded) tracedAccesses(t *testing.T) {
	trace := func(held bool, files int) (accesses []engine.TableRead) {
		db := l.open(t, engine.OpenConfig{TraceAccesses: held, MaxOpenFiles: files, Trace: func(r engine.TableRead) {
			if r.Block > 0 {
				accesses = append(accesses, r)
			}
		}})
		enginetest.Measured(t, db, func() { l.read(t, db, 2_000, 1) })
		return accesses
	}
	for _, files := range []int{0, 4} {
		if reads, accesses := trace(false, files), trace(true, files); !slices.Equal(reads, accesses) {
			t.Errorf("with %d files: %d reads, or other ones than the %d accesses", files, len(reads), len(accesses))
		}
	}
}

// sampler draws keys that exist, from everywhere.
func (l *loaded) sampler(t *testing.T) {
	s := l.store(t)
	sampler, err := s.Sampler()
	require.NoError(t, err)
	defer sampler.Close()
	db := l.open(t, engine.OpenConfig{CacheBytes: 8 << 20})
	const draws, parts = 6_000, 16
	var hits [parts]int
	distinct := map[string]bool{}
	for _, key := range enginetest.Draw(t, sampler, 7, draws) {
		if _, found, err := db.Get(key, nil); err != nil || !found {
			t.Fatalf("sampled key %x: found %v, error %v", key, found, err)
		}
		hits[key[0]/(256/parts)]++
		distinct[string(key)] = true
	}
	for i, h := range hits {
		if mean := draws / parts; h < mean*3/4 || h > mean*5/4 {
			t.Errorf("part %d of the key space was drawn %d times of %d, %d expected", i, h, draws, mean)
		}
	}
	// Of 30,000 keys, 6,000 uniform draws repeat about 560.
	assert.GreaterOrEqual(t, len(distinct), draws-2*560, "distinct draws of %d", draws)
	l.indexKeys(t, sampler)
}

// indexKeys: with a cache that holds everything, Gets of the keys behind index blocks read every index
// block of the tree once, and other Gets then read none.
func (l *loaded) indexKeys(t *testing.T, sampler engine.Sampler) {
	db := l.open(t, engine.OpenConfig{CacheBytes: 256 << 20})
	var all [][][]byte
	made := enginetest.Measured(t, db, func() {
		require.NoError(t, sampler.IndexKeys(t.Context(), 0, 2, func(keys [][]byte) error {
			all = append(all, keys)
			for _, key := range keys {
				if _, _, err := db.Get(key, nil); err != nil {
					return err
				}
			}
			return nil
		}))
	})
	blocks := l.store(t).Shape().Total().IndexBlocks
	switch {
	case slices.Contains(l.outsideCache, readpath.Index):
	case l.IndexesAtOpen:
		assert.Less(t, made.Reads.Count[readpath.Index], blocks)
	default:
		assert.Equal(t, blocks, made.Reads.Count[readpath.Index])
	}
	more := enginetest.Measured(t, db, func() { l.read(t, db, 5_000, 1) })
	assert.Zero(t, more.Reads.Count[readpath.Index])
	assert.Zero(t, more.Reads.Count[readpath.TopIndex])

	skip := len(all) / 3
	var later [][][]byte
	require.NoError(t, sampler.IndexKeys(t.Context(), int64(skip), 2, func(keys [][]byte) error { later = append(later, keys); return nil }))
	assert.Equal(t, all[skip:], later)

	stop := errors.New("stop")
	assert.ErrorIs(t, sampler.IndexKeys(t.Context(), 0, 2, func([][]byte) error { return stop }), stop)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, sampler.IndexKeys(over, 0, 2, func([][]byte) error { return nil }), context.Canceled)
}

// cacheSizes checks that impossible caches are refused and that shards are as asked for.
func (l *loaded) cacheSizes(t *testing.T) {
	s := l.store(t)
	_, err := s.Open(engine.OpenConfig{CacheBytes: s.Info().MinCacheBytes - 1})
	assert.Error(t, err, "a cache below the floor was accepted")
	good := []engine.OpenConfig{{CacheBytes: 32 << 20, Shards: 8}, {CacheBytes: 32 << 20, Shards: 4}, {CacheBytes: 1 << 20, Shards: 4}}
	bad := []engine.OpenConfig{{CacheBytes: 32 << 20, Shards: 3}, {CacheBytes: 32 << 20, Shards: 6}, {CacheBytes: 1 << 20, Shards: 128}, {CacheBytes: 1 << 20, Shards: -4}}
	if l.OneShard {
		bad = append(bad, good...)
		good = []engine.OpenConfig{{CacheBytes: 32 << 20, Shards: 1}, {CacheBytes: 1 << 20, Shards: 1}}
	}
	for _, o := range good {
		db, err := s.Open(o)
		require.NoError(t, err)
		if got := db.Cache(); got.Bytes != o.CacheBytes || got.Shards != o.Shards {
			t.Errorf("asked for %+v, got %+v", o, got)
		}
		require.NoError(t, db.Close())
	}
	for _, o := range bad {
		if db, err := s.Open(o); err == nil {
			db.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
}

// notModified checks that opening and reading changes nothing in the directory, not even
// a file's content under an old time.
func (l *loaded) notModified(t *testing.T) {
	contents := enginetest.Hashes(t, l.dir)
	enginetest.RequireUnchanged(t, l.dir, func() {
		db := l.open(t, engine.OpenConfig{CacheBytes: 4 << 20})
		l.read(t, db, 1_000, 3)
		db.Counts()
	})
	assert.Equal(t, contents, enginetest.Hashes(t, l.dir), "the contents of files changed")
}

// lastLevelFilters opens with filters in the last level consulted: every key is found,
// absent keys are ruled out in the last level too, and all counts hold.
func (l *loaded) lastLevelFilters(t *testing.T) {
	s := l.store(t)
	if s.Shape().LastLevelFilters {
		l.filtersOnEveryLevel(t, s)
		return
	}
	levels := s.Shape().Levels
	if last := levels[len(levels)-1]; last.Level != 6 || last.FilterBytes == 0 {
		t.Fatalf("suite.Small makes no filters in L6: the last level is %+v", last)
	}
	if without, with := l.probesOfAbsent(t, false), l.probesOfAbsent(t, true); without < 2000 || with*10 > without {
		t.Errorf("2000 absent keys ask for %d index and data blocks without filters of the last level, for %d with them", without, with)
	}
	db := l.open(t, engine.OpenConfig{CacheBytes: 1 << 20, LastLevelFilters: true})
	enginetest.Measured(t, db, func() { l.requireEvery(t, db, 7) })
}

// noFilters checks that ignored filters are neither read nor accessed and that every key
// is found nevertheless.
func (l *loaded) noFilters(t *testing.T) {
	db := l.open(t, engine.OpenConfig{CacheBytes: 1 << 20, NoFilters: true})
	run := enginetest.Measured(t, db, func() { l.requireEvery(t, db, 7) })
	if run.Reads.Count[readpath.Filter] != 0 || run.Accesses.Count[readpath.Filter] != 0 {
		t.Errorf("%d filters were asked for, %d read", run.Accesses.Count[readpath.Filter], run.Reads.Count[readpath.Filter])
	}
}

// probesOfAbsent looks 2000 absent keys up and returns how many index and data blocks
// that accesses.
func (l *loaded) probesOfAbsent(t *testing.T, lastLevelFilters bool) int64 {
	t.Helper()
	db := l.open(t, engine.OpenConfig{CacheBytes: 8 << 20, LastLevelFilters: lastLevelFilters})
	return enginetest.Measured(t, db, func() {
		for i := range uint64(2000) {
			requireAbsent(t, db, l.absentKey(i))
		}
	}).Accesses.Rest()
}

// filtersOnEveryLevel checks an engine whose Gets consult the filters of all levels:
// filters rule absent keys out, and OpenConfig.LastLevelFilters is refused.
func (l *loaded) filtersOnEveryLevel(t *testing.T, s engine.Store) {
	if probed := l.probesOfAbsent(t, false); probed*10 > 2000 {
		t.Errorf("2000 absent keys ask for %d index and data blocks", probed)
	}
	if read, unread := s.Shape().ComponentBytes(); read[readpath.Filter] == 0 || unread != 0 {
		t.Errorf("%d bytes of filters are read and %d are not", read[readpath.Filter], unread)
	}
	if db, err := s.Open(engine.OpenConfig{CacheBytes: 8 << 20, LastLevelFilters: true}); err == nil {
		db.Close()
		t.Error("last-level filters were accepted as a choice")
	}
}
