package twin_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/predict/cachesim"
	"getio/predict/twin"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
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
			d := grown(t, e)
			shape := d.Store.Shape()
			layout, known := (&lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}).WithSizesOf(shape)
			require.True(t, known, "the shape does not say how large its records are")
			tree, err := twin.NewTree(shape, twin.Options{Library: library, BlockBytes: layout.DataBlockBytes})
			require.NoError(t, err)
			for _, random := range []workload.Keys{
				{Seed: 1, Popularity: popularity.Popularity{Zipf: 0.8}},
				{Seed: 1, Popularity: popularity.Popularity{Zipf: 0.99}, Absent: 0.3},
				{Seed: 1, Popularity: popularity.Popularity{Hotset: popularity.Hotset{Keys: 0.01, Gets: 0.9}}},
			} {
				open := engine.OpenConfig{CacheBytes: bytes, Shards: 4}
				db, err := d.Store.Open(open)
				require.NoError(t, err)
				room := bytes - db.Cache().Reserved
				require.NoError(t, db.Close())
				own, err := d.Gets(random)
				require.NoError(t, err)
				r, err := measure.Measure(context.Background(), d.Store, open, own,
					measure.Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(warmup), Workers: 1}, Counted: measure.Counted{NoSplit: true}})
				require.NoError(t, err)
				if !r.Checks.Hold() {
					t.Fatalf("self-checks failed: %+v", r.Checks.Failed())
				}
				predicted, err := twin.Plan{Warmup: warmup, Gets: gets}.Predict(context.Background(), tree,
					workload.Keys{Seed: random.Seed, Absent: random.Absent, Popularity: random.Popularity},
					[]twin.Cache{{Policy: cachesim.NameClockPro, Bytes: room, Shards: 4, Sampled: 4}}, nil)
				require.NoError(t, err)
				got, want := predicted[0].Window.IOsPerGet(), r.IOsPerGet.Mean
				t.Logf("%v, absent %v, %d bytes: predicted %.4f, measured %.4f (%+.1f%%)", random.Popularity, random.Absent, bytes, got, want, 100*(got/want-1))
				if off := math.Abs(got - want); off > 0.03*want {
					t.Errorf("%v, absent %v, %d bytes: predicted %.4f I/Os per Get, measured %.4f", random.Popularity, random.Absent, bytes, got, want)
				}
			}
		})
	}
}

// grown loads and opens a tree with several levels and two-level indexes.
func grown(t *testing.T, e engine.Engine) *database.Database {
	t.Helper()
	engines, dir := engine.Registry{e}, filepath.Join(t.TempDir(), "dataset")
	m := &dataset.Manifest{
		Keys: 120_000, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: e.Name(), Preset: "bench_kvdb",
	}
	options := []string{"target_file_size=256KiB", "lbase_max_bytes=1MiB", "memtable_size=2MiB", "max_open_files=1000", "format=13"}
	job, err := load.NewJob(engines, dir, m, options, 2)
	require.NoError(t, err)
	require.NoError(t, job.New(context.Background()))
	d, err := database.Open(context.Background(), engines, dir, database.OpenOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}
