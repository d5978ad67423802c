package replay

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/rocksdb"
	"getio/load"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/predict/cachesim"
	"getio/workload"
	"getio/workload/dataset"
)

// exactGets is the number of Gets that are made with each cache to compare it with a library: 5,000, or
// GETIO_REPLAY_GETS for longer runs.
func exactGets(t *testing.T) int64 {
	t.Helper()
	text := cmp.Or(os.Getenv("GETIO_REPLAY_GETS"), "5000")
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}

// naturalKeys is the number of keys of a naturalDataset: enough for several levels.
const naturalKeys = 60_000

// naturalDataset loads and opens a tree with several levels and two-level indexes.
func naturalDataset(t *testing.T, e engine.Engine, options ...string) (engine.Store, keysource.Sequence) {
	t.Helper()
	return naturalDatasetRead(t, e, nil, options...)
}

// naturalDatasetRead opens it with other options.
func naturalDatasetRead(t *testing.T, e engine.Engine, read []string, options ...string) (engine.Store, keysource.Sequence) {
	t.Helper()
	d, err := database.Open(context.Background(), engine.Registry{e}, loaded(t, e, options), database.OpenOptions{Options: read})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	gets, err := d.Gets(workload.Keys{Seed: 1, Absent: 0.1})
	require.NoError(t, err)
	return d.Store, gets
}

// trees holds the datasets that tests share, by engine and options. They are only read.
var trees struct {
	dir  string
	made map[string]string
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(trees.dir)
	os.Exit(code)
}

// loaded returns the directory of a natural tree, which is loaded once for all tests.
func loaded(t *testing.T, e engine.Engine, options []string) string {
	t.Helper()
	name := fmt.Sprint(e.Name(), options)
	if trees.made[name] != "" {
		return trees.made[name]
	}
	if trees.made == nil {
		var err error
		trees.dir, err = os.MkdirTemp("", "getio-replay")
		require.NoError(t, err)
		trees.made = map[string]string{}
	}
	dir := filepath.Join(trees.dir, strconv.Itoa(len(trees.made)))
	m := &dataset.Manifest{
		Keys: naturalKeys, Keyspace: dataset.KeyspaceStratified, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: e.Name(), Preset: "bench_kvdb",
	}
	switch e {
	case goleveldb.Engine:
		m.Preset, options = "geth-leveldb", append([]string{"table_size=256KiB", "l1_max_bytes=1MiB", "memtable_size=2MiB", "max_open_files=1000"}, options...)
	case rocksdb.Engine:
		m.Preset, options = "rocksdb-partitioned", append([]string{"target_file_size_base=256KiB", "max_bytes_for_level_base=1MiB", "write_buffer_size=2MiB", "max_open_files=1000"}, options...)
	default:
		options = append([]string{"target_file_size=256KiB", "lbase_max_bytes=1MiB", "memtable_size=2MiB", "max_open_files=1000"}, options...)
	}
	job, err := load.NewJob(engine.Registry{e}, dir, m, options, 2)
	require.NoError(t, err)
	require.NoError(t, job.New(context.Background()))
	trees.made[name] = dir
	return dir
}

func TestSimulatedCachesEqualLibraries(t *testing.T) {
	for _, c := range []struct {
		engine  engine.Engine
		library cachesim.Library
		options []string
	}{
		{pebblev1.Engine, cachesim.PebbleV1, nil},
		{pebblev2.Engine, cachesim.PebbleV2, nil},
		{pebblev2.Engine, cachesim.PebbleV2, []string{"format=13"}},
		{goleveldb.Engine, cachesim.LevelDB{BlockSize: 4 << 10}, nil},
		{goleveldb.Engine, cachesim.LevelDB{BlockSize: 1 << 10}, []string{"block_size=1KiB", "compression=none"}},
	} {
		t.Run(fmt.Sprint(c.engine.Name(), c.options), func(t *testing.T) {
			store, gets := naturalDataset(t, c.engine, c.options...)
			t.Run("accesses", func(t *testing.T) { compareAccesses(t, store, gets, c.library) })
			t.Run("curve", func(t *testing.T) { compareCurve(t, store, gets, c.library) })
		})
	}
}

// TestSimulatedCacheEqualsLibraryOfDatabase compares on the database in GETIO_REPLAY_DIR, of any size.
func TestSimulatedCacheEqualsLibraryOfDatabase(t *testing.T) {
	dir := os.Getenv("GETIO_REPLAY_DIR")
	if dir == "" {
		t.Skip("GETIO_REPLAY_DIR names no database")
	}
	d, err := database.Open(context.Background(), engines.All(), dir, database.OpenOptions{Options: []string{"max_open_files=2000"}})
	require.NoError(t, err)
	defer d.Close()
	gets, err := d.Gets(workload.Keys{Seed: 1})
	require.NoError(t, err)
	defer gets.Close()
	library, err := LibraryOf(d)
	require.NoError(t, err)
	switch library := library.(type) {
	case cachesim.LevelDB:
		library.Processors = 0
		compareAccesses(t, d.Store, gets, library)
	case cachesim.RocksDB:
		compareRocksAccesses(t, d.Store, gets, false)
	default:
		compareAccesses(t, d.Store, gets, library)
	}
}

// compareAccesses requires that library and simulation, which replays the accesses made without a
// cache, agree on hit or miss of every access.
func compareAccesses(t *testing.T, store engine.Store, gets keysource.Sequence, library cachesim.Library) {
	n := exactGets(t)
	stream := slices.Concat(accessesByGet(t, store, gets, n)...)
	for _, cacheBytes := range []int64{600 << 10, 1 << 20, 2 << 20, 4 << 20, 16 << 20} {
		byGet, cache := realMisses(t, store, gets, n, engine.OpenConfig{CacheBytes: cacheBytes, Shards: library.Shards(cacheBytes, 1)})
		missed := slices.Concat(byGet...)
		simulated, err := library.New(cache.Bytes, cache.Reserved, cache.Shards)
		require.NoError(t, err)
		hits := 0
		for i, a := range stream {
			if simulated.Access(a) {
				hits++
				continue
			}
			if len(missed) == 0 || missed[0] != (blockAt{a.File, a.Offset}) {
				t.Fatalf("%d bytes: access %d of %d, to %s in file %06d at %d, is a hit of the library and a miss of the simulation, or the other way round; the library's next miss is %v",
					cacheBytes, i, len(stream), a.Component, a.File, a.Offset, missed[:min(len(missed), 1)])
			}
			missed = missed[1:]
		}
		if len(missed) > 0 {
			t.Fatalf("%d bytes: the library missed %d blocks more, first %v", cacheBytes, len(missed), missed[0])
		}
		t.Logf("%d bytes: %d accesses, %d hits, 0 different", cacheBytes, len(stream), hits)
	}
}

type blockAt struct {
	file   uint64
	offset int64
}

// realMisses returns the blocks that each Get reads through the library's own cache. LevelDB charges a block
// for its buffer, and the collector frees large buffers whenever it runs, so it does not run here.
func realMisses(t *testing.T, store engine.Store, gets keysource.Sequence, n int64, cfg engine.OpenConfig) (byGet [][]blockAt, cache engine.Cache) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // each processor has buffers of its own
	t.Helper()
	var missed []blockAt
	cfg.Trace = func(r engine.TableRead) {
		if r.Block > 0 {
			missed = append(missed, blockAt{r.File, r.Offset})
		}
	}
	db, err := store.Open(cfg)
	require.NoError(t, err)
	require.NoError(t, gets.Prepare(context.Background(), 0, n))
	var key, value []byte
	for g := range n {
		missed = nil
		var want keysource.Want
		key, want = gets.Key(g, key)
		var found bool
		value, found, err = db.Get(key, value)
		require.NoError(t, err)
		require.NoError(t, gets.Check(g, want, key, found, value))
		byGet = append(byGet, missed)
	}
	cache = db.Cache()
	require.NoError(t, db.Close())
	return byGet, cache
}
