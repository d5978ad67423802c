package pebblestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/pebble/pebblestore"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/region"
	"getio/internal/pebbletest"
	"getio/measure"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

const keys = 40_000

func eachEngine(t *testing.T, test func(t *testing.T, e engine.Engine)) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		t.Run(e.Name(), func(t *testing.T) { test(t, e) })
	}
}

// TestBrokenRegionMapFailsTheRun moves one border of one table's region map and measures.
// A check of the run must fail.
func TestBrokenRegionMapFailsTheRun(t *testing.T) {
	eachEngine(t, func(t *testing.T, e engine.Engine) {
		dir, ks, cfg := load(t, e)
		store, gets := open(t, e, dir, cfg), keysource.Written(ks, nil, workload.Keys{Seed: 1})
		if r := run(t, store, gets); !r.Checks.Hold() {
			t.Fatalf("checks failed with the right map: %+v", r.Checks.Failed())
		}
		for name, damage := range map[string]func(*region.Map){
			"data ends early":          func(r *region.Map) { r.Data.End -= 7 },
			"data ends late":           func(r *region.Map) { r.Data.End = r.Index.Off + 7 },
			"index begins late":        func(r *region.Map) { r.Index.Off += 7 },
			"index ends early":         func(r *region.Map) { r.Index.End -= 7 },
			"top index moved":          func(r *region.Map) { r.TopIndex.Off, r.TopIndex.End = r.TopIndex.Off+1, r.TopIndex.End+1 },
			"top index too long":       func(r *region.Map) { r.TopIndex.End++ },
			"filter moved":             func(r *region.Map) { r.Filter.Off, r.Filter.End = r.Filter.Off+1, r.Filter.End+1 },
			"filter missing":           func(r *region.Map) { r.Filter = region.Extent{} },
			"filter and index swapped": func(r *region.Map) { r.Filter, r.TopIndex = r.TopIndex, r.Filter },
			"longer file":              func(r *region.Map) { r.Size++ },
		} {
			t.Run(name, func(t *testing.T) {
				regions := regionsOfLargestFiltered(store)
				right := *regions
				defer func() { *regions = right }()
				damage(regions)
				if r := run(t, store, gets); r.Checks.Hold() {
					t.Errorf("no check noticed: %+v", r.Checks)
				}
			})
		}
	})
}

func run(t *testing.T, store engine.Store, gets keysource.Sequence) *record.Result {
	t.Helper()
	r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: 1 << 20}, gets,
		measure.Options{Workload: workload.Workload{Gets: 5_000, Warmup: workload.WarmupGets(0), Workers: 2}, TotalKeys: keys})
	require.NoError(t, err)
	return r
}

// regionsOfLargestFiltered returns the map of the largest table whose filter Gets consult,
// so that a run reads every kind of its blocks.
func regionsOfLargestFiltered(store engine.Store) *region.Map {
	var largest lsm.Table
	for _, l := range store.Shape().Levels {
		for _, table := range l.TableList {
			if l.Level != lsm.NumLevels-1 && table.FilterBytes > 0 && table.IndexBlocks > 0 && table.Bytes > largest.Bytes {
				largest = table
			}
		}
	}
	return store.(*pebblestore.Store).Catalog().Regions(largest.File)
}

// load makes a small database of several levels and two-level indexes.
func load(t *testing.T, e engine.Engine) (dir string, ks dataset.Keyspace, cfg engine.Config) {
	t.Helper()
	cfg, err := e.Configure("bench_kvdb", pebbletest.Small)
	require.NoError(t, err)
	ks, err = dataset.NewKeyspace(dataset.KeyspaceKeccak, keys, 0)
	require.NoError(t, err)
	values, err := dataset.NewValues(dataset.ValuesRandom, 50, 1)
	require.NoError(t, err)
	dir = filepath.Join(t.TempDir(), "db")
	loader, err := e.Create(dir, cfg)
	require.NoError(t, err)
	write(t, loader, keys, 500, ks.Key, func(i uint64) []byte { return values.Value(i, nil) })
	require.NoError(t, loader.Settle(context.Background(), nil))
	require.NoError(t, loader.Close())
	return dir, ks, cfg
}

// write writes n keys and their values in batches of the given length.
func write(t *testing.T, loader engine.Loader, n, batchLen uint64, key func(uint64, *[dataset.KeySize]byte), value func(uint64) []byte) {
	t.Helper()
	batch := loader.NewBatch()
	var k [dataset.KeySize]byte
	for i := range n {
		key(i, &k)
		require.NoError(t, batch.Set(k[:], value(i)))
		if (i+1)%batchLen == 0 || i+1 == n {
			require.NoError(t, batch.Commit())
		}
	}
	require.NoError(t, batch.Close())
}

func open(t *testing.T, e engine.Engine, dir string, cfg engine.Config) engine.Store {
	t.Helper()
	s, err := e.OpenStore(context.Background(), dir, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestUnflushedKeys checks that the keys of a write-ahead log cost no reads, and that their
// memory is not taken from the cache.
func TestUnflushedKeys(t *testing.T) {
	eachEngine(t, func(t *testing.T, e engine.Engine) {
		flushed, ks, cfg := load(t, e)
		s := open(t, e, flushed, cfg)
		assert.Zero(t, s.Info().WALKeys)
		want := readsOf(t, s, ks)
		for _, keys := range []uint64{1, 2_000, 60_000} {
			t.Run(fmt.Sprint(keys), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "db")
				require.NoError(t, os.CopyFS(dir, os.DirFS(flushed)))
				addUnflushed(t, e, dir, ks, keys)
				s := open(t, e, dir, cfg)
				if info := s.Info(); info.WALKeys != int64(keys) || info.WALBytes < int64(keys)*82 {
					t.Errorf("%d keys in a log of %d bytes, %d were written", info.WALKeys, info.WALBytes, keys)
				}
				if got := readsOf(t, s, ks); got < want*98/100 || got > want*102/100 {
					t.Errorf("%d reads, and %d without the log", got, want)
				}
				db, err := s.Open(engine.OpenConfig{CacheBytes: 1 << 20})
				require.NoError(t, err)
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

// addUnflushed writes keys that stay in the write-ahead log: the memtable takes them all.
func addUnflushed(t *testing.T, e engine.Engine, dir string, ks dataset.Keyspace, n uint64) {
	t.Helper()
	cfg, err := e.Configure("bench_kvdb", nil)
	require.NoError(t, err)
	loader, err := e.Resume(dir, cfg)
	require.NoError(t, err)
	write(t, loader, n, n, ks.Absent, func(uint64) []byte { return make([]byte, 50) })
	require.NoError(t, loader.Sync())
	require.NoError(t, loader.Close())
}

// readsOf makes Gets of the keys of tables on a cache of 1 MiB.
func readsOf(t *testing.T, s engine.Store, ks dataset.Keyspace) int64 {
	t.Helper()
	db, err := s.Open(engine.OpenConfig{CacheBytes: 1 << 20, Shards: 4})
	require.NoError(t, err)
	defer db.Close()
	before := db.Counts()
	var key [dataset.KeySize]byte
	for g := range uint64(12_000) {
		ks.Key(dataset.Bounded(dataset.Draw(1, g), ks.Len()), &key)
		_, found, err := db.Get(key[:], nil)
		require.NoError(t, err)
		require.True(t, found, "Get %d finds nothing", g)
	}
	return db.Counts().Sub(before).Reads.Count.Sum()
}
