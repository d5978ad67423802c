package pebblestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"getio/dataset"
	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
)

// addUnflushed writes keys that stay in the write-ahead log.
func addUnflushed(t *testing.T, e engine.Engine, dir string, cfg engine.Config, ks dataset.Keyspace, n uint64) {
	t.Helper()
	loader, err := e.Resume(dir, cfg)
	check(t, err)
	batch := loader.NewBatch()
	var key [dataset.KeySize]byte
	for i := range n {
		ks.Absent(i, &key)
		check(t, batch.Set(key[:], make([]byte, 50)))
	}
	check(t, batch.Commit())
	check(t, batch.Close())
	check(t, loader.Sync())
	check(t, loader.Close())
}

// readsOf makes Gets of the keys of tables on a cache of 1 MiB.
func readsOf(t *testing.T, s engine.Store, ks dataset.Keyspace) int64 {
	t.Helper()
	db, err := s.Open(engine.OpenConfig{CacheBytes: 1 << 20, Shards: 4})
	check(t, err)
	defer db.Close()
	before := db.Counts()
	var key [dataset.KeySize]byte
	for g := range uint64(12_000) {
		ks.Key(dataset.Bounded(dataset.Draw(1, g), ks.Len()), &key)
		_, found, err := db.Get(key[:], nil)
		check(t, err)
		if !found {
			t.Fatalf("Get %d finds nothing", g)
		}
	}
	return db.Counts().Sub(before).Reads.Count.Sum()
}

// The keys of a write-ahead log cost no reads, and the memory that they take
// is not the cache's.
func TestUnflushedKeys(t *testing.T) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		t.Run(e.Name(), func(t *testing.T) {
			flushed, ks, cfg := loadDir(t, e)
			open := func(dir string) engine.Store {
				s, err := e.OpenStore(context.Background(), dir, cfg)
				check(t, err)
				t.Cleanup(func() { check(t, s.Close()) })
				return s
			}
			s := open(flushed)
			if s.Info().WALKeys != 0 {
				t.Errorf("a settled database has %d keys in its log", s.Info().WALKeys)
			}
			want := readsOf(t, s, ks)
			for _, keys := range []uint64{1, 2_000, 60_000} {
				t.Run(fmt.Sprint(keys), func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "db")
					check(t, os.CopyFS(dir, os.DirFS(flushed)))
					large, err := e.Configure("bench_kvdb", nil) // a memtable that takes them all
					check(t, err)
					addUnflushed(t, e, dir, large, ks, keys)
					s := open(dir)
					if info := s.Info(); info.WALKeys != int64(keys) || info.WALBytes < int64(keys)*82 {
						t.Errorf("%d keys in a log of %d bytes, %d were written", info.WALKeys, info.WALBytes, keys)
					}
					if got := readsOf(t, s, ks); got < want*98/100 || got > want*102/100 {
						t.Errorf("%d reads, and %d without the log", got, want)
					}
					db, err := s.Open(engine.OpenConfig{CacheBytes: 1 << 20})
					check(t, err)
					defer db.Close()
					var key [dataset.KeySize]byte
					ks.Absent(keys-1, &key)
					if _, found, err := db.Get(key[:], nil); err != nil || !found {
						t.Errorf("a key of the log: found %v, error %v", found, err)
					}
				})
			}
		})
	}
}
