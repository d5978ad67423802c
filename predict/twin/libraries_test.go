package twin_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/goleveldb"
	"getio/engine/lsm"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/readpath"
	"getio/engine/rocksdb"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/predict/cachesim"
	"getio/predict/scenario"
	"getio/predict/twin"
	"getio/workload"
	"getio/workload/dataset"
)

// TestTwinFollowsLibraries compares the accesses and misses of every component, predicted from the
// shape of a tree, with those of real Gets.
func TestTwinFollowsLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads several trees")
	}
	small := []string{"table_size=128KiB", "l1_max_bytes=1MiB", "memtable_size=512KiB", "max_open_files=1000", "level_multiplier=4"}
	rocks := []string{"target_file_size_base=256KiB", "max_bytes_for_level_base=1MiB", "write_buffer_size=1MiB", "max_open_files=1000"}
	for name, c := range map[string]struct {
		engine  engine.Engine
		options []string
	}{
		"LevelDB":                   {goleveldb.Engine, small},
		"LevelDB without filters":   {goleveldb.Engine, append([]string{"bloom_bits=0", "compression=none"}, small...)},
		"LevelDB with L0":           {goleveldb.Engine, append([]string{"l0_compaction_trigger=100", "l0_slowdown_trigger=100", "l0_pause_trigger=100", "block_size=1KiB"}, append(small, "memtable_size=1MiB")...)},
		"RocksDB":                   {rocksdb.Engine, rocks},
		"RocksDB not partitioned":   {rocksdb.Engine, append([]string{"index_type=binary", "partition_filters=false", "format_version=4"}, rocks...)},
		"RocksDB outside the cache": {rocksdb.Engine, append([]string{"cache_index_and_filter_blocks=false", "optimize_filters_for_hits=true"}, rocks...)},
	} {
		if len(c.engine.Presets()) == 0 {
			continue // built without RocksDB
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := natural(t, c.engine, dataset.OrderRandom, c.options)
			options := d.Config.Effective()
			library, err := twin.LibraryOf(c.engine.Name(), options)
			require.NoError(t, err)
			shape, err := d.ShapeToPredict(t.Context(), nil)
			require.NoError(t, err)
			layout := lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}
			tree, err := twin.NewTree(shape, twin.Options{Library: library, BlockBytes: layout.DataBlockBytes})
			require.NoError(t, err)
			for _, c := range []struct{ cache, absent float64 }{{0.02, 0}, {0.08, 0}, {0.02, 1}} {
				compareWithMeasurement(t, d, tree, library.Cache, int64(c.cache*float64(shape.Total().Bytes)), c.absent)
			}
		})
	}
}

// TestTwinFollowsUpdates is TestTwinFollowsLibraries for trees in which many keys have records in several sorted runs.
func TestTwinFollowsUpdates(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads several trees")
	}
	for name, c := range map[string]struct {
		engine  engine.Engine
		options []string
	}{
		// LevelDB looks in all tables of L0, others stop at the newest record.
		"LevelDB with L0":     {goleveldb.Engine, []string{"l0_compaction_trigger=100", "l0_slowdown_trigger=100", "l0_pause_trigger=100", "memtable_size=1536KiB"}},
		"LevelDB with levels": {goleveldb.Engine, []string{"table_size=128KiB", "l1_max_bytes=256KiB", "memtable_size=256KiB", "level_multiplier=4"}},
		"Pebble v1":           {pebblev1.Engine, []string{"lbase_max_bytes=256KiB", "memtable_size=256KiB", "target_file_size=64KiB"}},
		"Pebble v2":           {pebblev2.Engine, []string{"lbase_max_bytes=256KiB", "memtable_size=256KiB", "target_file_size=64KiB"}},
		"RocksDB with L0":     {rocksdb.Engine, []string{"level0_file_num_compaction_trigger=100", "level0_slowdown_writes_trigger=100", "level0_stop_writes_trigger=100", "write_buffer_size=1MiB"}},
	} {
		if len(c.engine.Presets()) == 0 {
			continue // built without RocksDB
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := updated(t, c.engine, append(c.options, "max_open_files=1000"), 15_000)
			library, err := twin.LibraryOf(c.engine.Name(), d.Config.Effective())
			require.NoError(t, err)
			shape, err := d.ShapeToPredict(t.Context(), nil)
			require.NoError(t, err)
			require.NotZero(t, shape.SampledKeys)
			layout := lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}
			tree, err := twin.NewTree(shape, twin.Options{Library: library, BlockBytes: layout.DataBlockBytes})
			require.NoError(t, err)
			for _, cache := range []float64{0.02, 0.08} {
				bytes := 2*library.Reserved + int64(cache*float64(shape.Total().Bytes))
				compareWithMeasurement(t, d, tree, library.Cache, bytes, 0)
			}
		})
	}
}

// TestReformatFollowsLibraries predicts the reads of a tree with larger blocks, or other filters, from
// the shape of the tree without the change, and compares them with the reads of real Gets. Keys are loaded
// in ascending order, so that both trees have the same sorted runs.
func TestReformatFollowsLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads several trees")
	}
	leveldb := []string{"table_size=128KiB", "l1_max_bytes=1MiB", "memtable_size=512KiB", "max_open_files=1000", "level_multiplier=4"}
	rocks := []string{"target_file_size_base=256KiB", "max_bytes_for_level_base=1MiB", "write_buffer_size=1MiB", "max_open_files=1000"}
	whole := append([]string{"index_type=binary", "partition_filters=false"}, rocks...)
	for name, c := range map[string]struct {
		engine  engine.Engine
		options []string
		change  string
	}{
		"LevelDB with larger blocks":          {goleveldb.Engine, leveldb, "block_size=16KiB"},
		"LevelDB with smaller filters":        {goleveldb.Engine, leveldb, "bloom_bits=5"},
		"LevelDB without filters":             {goleveldb.Engine, leveldb, "bloom_bits=0"},
		"RocksDB with larger blocks":          {rocksdb.Engine, rocks, "block_size=8KiB"},
		"RocksDB with smaller blocks":         {rocksdb.Engine, rocks, "block_size=1KiB"},
		"RocksDB, whole, with larger filters": {rocksdb.Engine, whole, "bloom_bits=16"},
	} {
		if len(c.engine.Presets()) == 0 {
			continue // built without RocksDB
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "shape.json")
			shape, err := natural(t, c.engine, dataset.OrderSequential, c.options).ShapeToPredict(t.Context(), nil)
			require.NoError(t, err)
			shape.Schema = lsm.SchemaV1
			written, err := json.Marshal(shape)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, written, 0o600))
			change, err := scenario.ParseChange(c.change)
			require.NoError(t, err)
			q := scenario.Query{ShapeFile: file, Change: change, Open: database.OpenOptions{Options: c.options}}
			s, err := q.Scenario(engine.Registry{c.engine}, workload.Keys{Seed: 1})
			require.NoError(t, err)
			changed := natural(t, c.engine, dataset.OrderSequential, append(c.options, c.change))
			library, err := twin.LibraryOf(c.engine.Name(), changed.Config.Effective())
			require.NoError(t, err)
			bytes := int64(0.05 * float64(changed.OwnShape().Total().Bytes))
			for _, absent := range []float64{0, 1} {
				compareWithMeasurement(t, changed, s.Tree, library.Cache, bytes, absent)
			}
		})
	}
}

// Accesses and I/Os per Get may be off by these shares and, because of false positives, by this
// number: several times what chance explains.
const accessesOff, readsOff, falsePositivesOff = 0.015, 0.03, 0.015

func compareWithMeasurement(t *testing.T, d *database.Database, tree *twin.Tree, library cachesim.Library, bytes int64, absent float64) {
	t.Helper()
	const warmup, gets = 5000, 10_000
	random := workload.Keys{Seed: 1, Absent: absent}
	own, err := d.Gets(random)
	require.NoError(t, err)
	shards := library.Shards(bytes, 1)
	r, err := measure.Measure(t.Context(), d.Store, engine.OpenConfig{CacheBytes: bytes, Shards: shards}, own,
		measure.Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(warmup), Workers: 1}, Counted: measure.Counted{NoSplit: true}})
	require.NoError(t, err)
	require.NoError(t, r.Checks.Err())
	predicted, err := twin.Plan{Warmup: warmup, Gets: gets}.Predict(t.Context(), tree,
		workload.Keys{Seed: random.Seed, Absent: random.Absent}, []twin.Cache{{Policy: library.Policy(), Bytes: bytes - tree.Library().Reserved, Shards: shards, Sampled: shards}}, nil)
	require.NoError(t, err)
	window := predicted[0].Window
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		got, want := float64(window.Accesses[c])/gets, float64(*r.Components[c.String()].Accesses)/gets
		t.Logf("%d bytes: %s: accesses %.4f, measured %.4f; misses %.4f, measured %.4f",
			bytes, c, got, want, window.Misses[c]/gets, float64(r.Components[c.String()].Misses)/gets)
		assert.InDelta(t, want, got, accessesOff*want+falsePositivesOff, "%d bytes: accesses of %s", bytes, c)
	}
	got, want := window.IOsPerGet(), r.IOsPerGet.Mean
	t.Logf("%d bytes: %.4f I/Os per Get, measured %.4f (%+.1f%%)", bytes, got, want, 100*(got/want-1))
	assert.LessOrEqual(t, math.Abs(got-want), readsOff*want+falsePositivesOff, "%d bytes: %.4f I/Os per Get, measured %.4f", bytes, got, want)
}

// natural loads and opens a small tree, in the engine's first preset.
func natural(t *testing.T, e engine.Engine, order string, options []string) *database.Database {
	t.Helper()
	return open(t, e, loaded(t, e, 40_000, order, options))
}

// updated loads a small tree, updates keys, and opens its database as one that getio did not load.
func updated(t *testing.T, e engine.Engine, options []string, updates uint64) *database.Database {
	t.Helper()
	dir := loaded(t, e, 20_000, dataset.OrderRandom, options)
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	job, err := load.ExistingJob(engine.Registry{e}, dir, m, 1)
	require.NoError(t, err)
	require.NoError(t, job.Update(t.Context(), updates, 2))
	db := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.Rename(m.DBDir(dir), db))
	return open(t, e, db)
}

// loaded loads a small tree, in the engine's first preset, and returns its directory.
func loaded(t *testing.T, e engine.Engine, keys uint64, order string, options []string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	m := &dataset.Manifest{
		Keys: keys, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: order, Batch: 1000, Engine: e.Name(), Preset: e.Presets()[0],
	}
	job, err := load.NewJob(engine.Registry{e}, dir, m, options, 1)
	require.NoError(t, err)
	require.NoError(t, job.New(t.Context()))
	return dir
}

func open(t *testing.T, e engine.Engine, dir string) *database.Database {
	t.Helper()
	d, err := database.Open(t.Context(), engine.Registry{e}, dir, database.OpenOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}
