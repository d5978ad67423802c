package pebblestore_test

import (
	"context"
	"path/filepath"
	"testing"

	"getio/dataset"
	"getio/engine"
	"getio/engine/pebble/pebblestore"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/region"
	"getio/measure"
	"getio/measure/workload"
	"getio/record"
	"getio/tree/lsm"
)

const keys = 40_000

// TestBrokenRegionMapFailsTheRun moves one border of one table's region map and
// measures: the run must not be believable.
func TestBrokenRegionMapFailsTheRun(t *testing.T) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		t.Run(e.Name(), func(t *testing.T) {
			store, gets := load(t, e)
			if r := run(t, store, gets); !r.Checks.Hold() {
				t.Fatalf("the map is whole, and checks failed: %+v", r.Checks.Failed())
			}
			for name, damage := range map[string]func(*region.Map){
				"data ends early":          func(r *region.Map) { r.Data.End -= 7 },
				"data ends late":           func(r *region.Map) { r.Data.End = r.Index.Off + 7 },
				"index begins late":        func(r *region.Map) { r.Index.Off += 7 },
				"index ends early":         func(r *region.Map) { r.Index.End -= 7 },
				"top index moved":          func(r *region.Map) { r.TopIndex.Off, r.TopIndex.End = r.TopIndex.Off+1, r.TopIndex.End+1 },
				"top index too long":       func(r *region.Map) { r.TopIndex.End++ },
				"filter moved":             func(r *region.Map) { r.Filter.Off, r.Filter.End = r.Filter.Off+1, r.Filter.End+1 },
				"filter taken for nothing": func(r *region.Map) { r.Filter = region.Extent{} },
				"filter and index swapped": func(r *region.Map) { r.Filter, r.TopIndex = r.TopIndex, r.Filter },
				"of a longer file":         func(r *region.Map) { r.Size++ },
			} {
				t.Run(name, func(t *testing.T) {
					regions := regionsOfLargestFiltered(t, store)
					whole := *regions
					defer func() { *regions = whole }()
					damage(regions)
					if r := run(t, store, gets); r.Checks.Hold() {
						t.Errorf("no check noticed: %+v", r.Checks)
					}
				})
			}
		})
	}
}

func run(t *testing.T, store engine.Store, gets workload.Sequence) *record.Result {
	t.Helper()
	r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: 1 << 20}, gets,
		measure.Options{Gets: 5_000, Warmup: measure.WarmupGets(0), Workers: 2, Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// regionsOfLargestFiltered is the map of the largest table whose filter Gets
// consult, so that a run reads every kind of its blocks.
func regionsOfLargestFiltered(t *testing.T, store engine.Store) *region.Map {
	t.Helper()
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

func load(t *testing.T, e engine.Engine) (engine.Store, workload.Sequence) {
	t.Helper()
	dir, ks, cfg := loadDir(t, e)
	store, err := e.OpenStore(context.Background(), dir, cfg)
	check(t, err)
	return store, workload.Written(ks, nil, workload.Random{Seed: 1})
}

// loadDir makes a small database of several levels and two-level indexes.
func loadDir(t *testing.T, e engine.Engine) (dir string, ks dataset.Keyspace, cfg engine.Config) {
	t.Helper()
	cfg, err := e.Configure("bench_kvdb", []string{
		"block_size=512", "index_block_size=512", "target_file_size=64KiB", "memtable_size=256KiB", "lbase_max_bytes=256KiB",
	})
	check(t, err)
	ks, err = dataset.NewKeyspace(dataset.KeyspaceKeccak, keys, 0)
	check(t, err)
	values, err := dataset.NewValues(dataset.ValuesRandom, 50, 1)
	check(t, err)
	dir = filepath.Join(t.TempDir(), "db")
	loader, err := e.Create(dir, cfg)
	check(t, err)
	batch := loader.NewBatch()
	var key [dataset.KeySize]byte
	for i := range uint64(keys) {
		ks.Key(i, &key)
		check(t, batch.Set(key[:], values.Value(i, nil)))
		if i%500 == 499 {
			check(t, batch.Commit())
		}
	}
	check(t, batch.Close())
	check(t, loader.Settle(context.Background(), nil))
	check(t, loader.Close())
	return dir, ks, cfg
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
