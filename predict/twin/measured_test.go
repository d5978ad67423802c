package twin_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"getio/dataset"
	"getio/dataset/popularity"
	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load"
	"getio/measure"
	"getio/measure/workload"
	"getio/predict/cachesim"
	"getio/predict/twin"
	"getio/tree/lsm"
)

// TestPopularKeysMatchMeasurements: predictions from the shape alone match measurements of
// the same popularity.
func TestPopularKeysMatchMeasurements(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads two trees")
	}
	const bytes, warmup, gets = 2 << 20, 30_000, 40_000
	for e, library := range map[engine.Engine]twin.Library{pebblev1.Engine: twin.PebbleV1, pebblev2.Engine: twin.PebbleV2} {
		t.Run(e.Name(), func(t *testing.T) {
			store, keys, values := grown(t, e)
			shape := store.Shape()
			layout, known := (&lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}).WithSizesOf(shape)
			if !known {
				t.Fatal("the shape does not say how large its records are")
			}
			tree, err := twin.NewTree(shape, twin.Options{Library: library, BlockBytes: layout.DataBlockBytes})
			require(t, err)
			for _, random := range []workload.Random{
				{Seed: 1, Popularity: popularity.Popularity{Zipf: 0.8}},
				{Seed: 1, Popularity: popularity.Popularity{Zipf: 0.99}, Absent: 0.3},
				{Seed: 1, Popularity: popularity.Popularity{Hotset: popularity.Hotset{Keys: 0.01, Gets: 0.9}}},
			} {
				db, err := store.Open(engine.OpenConfig{CacheBytes: bytes, Shards: 4})
				require(t, err)
				room := bytes - db.Cache().Reserved
				require(t, db.Close())
				r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: bytes, Shards: 4},
					workload.Written(keys, values, random), measure.Options{Gets: gets, Warmup: measure.WarmupGets(warmup), Workers: 1, NoSplit: true})
				require(t, err)
				if !r.Checks.Hold() {
					t.Fatalf("self-checks failed: %+v", r.Checks.Failed())
				}
				predicted, err := twin.Plan{Warmup: warmup, Gets: gets}.Predict(context.Background(), tree,
					twin.Workload{Seed: random.Seed, Absent: random.Absent, Popularity: random.Popularity},
					[]twin.Cache{{Policy: cachesim.NameClockPro, Bytes: room, Shards: 4, Sampled: 4}}, nil)
				require(t, err)
				got, want := predicted[0].Window.IOsPerGet(), r.IOsPerGet.Mean
				t.Logf("%v, absent %v, %d bytes: predicted %.4f, measured %.4f (%+.1f%%)", random.Popularity, random.Absent, bytes, got, want, 100*(got/want-1))
				if off := math.Abs(got - want); off > 0.03*want {
					t.Errorf("%v, absent %v, %d bytes: predicted are %.4f I/Os per Get, measured %.4f", random.Popularity, random.Absent, bytes, got, want)
				}
			}
		})
	}
}

// grown loads a tree with several levels and two-level indexes.
func grown(t *testing.T, e engine.Engine) (engine.Store, dataset.Keyspace, dataset.Values) {
	t.Helper()
	cfg, err := e.Configure("bench_kvdb", []string{"target_file_size=256KiB", "lbase_max_bytes=1MiB", "memtable_size=2MiB", "max_open_files=1000", "format=13"})
	require(t, err)
	dir := filepath.Join(t.TempDir(), "dataset")
	m := &dataset.Manifest{
		Keys: 120_000, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: e.Name(), Preset: cfg.Preset(),
	}
	require(t, (&load.Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: 2}).New(context.Background()))
	store, err := e.OpenStore(context.Background(), m.DBDir(dir), cfg)
	require(t, err)
	t.Cleanup(func() { require(t, store.Close()) })
	keys, err := m.NewKeyspace()
	require(t, err)
	values, err := m.NewValues()
	require(t, err)
	return store, keys, values
}

func require(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
