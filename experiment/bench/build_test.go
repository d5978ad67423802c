package bench

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"getio/dataset"
	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load"
	"getio/load/treewriter"
	"getio/tree/growth"
)

const (
	buildKeys      = 20_000_000
	buildLargeKeys = 200_000_000 // what has a fixed cost shows less
	buildWorkers   = 2
)

// BenchmarkBuild compares the keys per CPU-second, the system's work included, of
// shaped and virtual loads with those of a natural load of as many keys, from an
// empty directory to a dataset that is settled and complete. Keys of all are
// stratified ones, which cost next to nothing, and values those of a pool. Ratios
// are of speeds: above 1 is faster than natural.
func BenchmarkBuild(b *testing.B) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		b.Run(e.Name(), func(b *testing.B) {
			for b.Loop() {
				natural := loadCost(b, e, "", buildKeys)
				shaped := loadCost(b, e, dataset.BuildShaped, buildKeys)
				virtual := loadCost(b, e, dataset.BuildVirtual, buildKeys)
				large := loadCost(b, e, dataset.BuildVirtual, buildLargeKeys)
				b.ReportMetric(natural, "natural-ns/key")
				b.ReportMetric(shaped, "shaped-ns/key")
				b.ReportMetric(virtual, "virtual-ns/key")
				b.ReportMetric(large, "virtual200M-ns/key")
				b.ReportMetric(natural/shaped, "shaped/natural")
				b.ReportMetric(natural/virtual, "virtual/natural")
				b.ReportMetric(natural/large, "virtual200M/natural")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// loadCost is the CPU time per key, in nanoseconds, of a load that is natural or
// built. The dataset is removed again.
func loadCost(b *testing.B, e engine.Engine, how string, keys uint64) float64 {
	b.Helper()
	cfg, err := e.Configure("bench_kvdb", nil)
	check(b, err)
	m := &dataset.Manifest{
		Schema: dataset.Schema, Keys: keys, Keyspace: dataset.KeyspaceStratified, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: e.Name(), Preset: cfg.Preset(), Options: cfg.Effective(),
	}
	dir := filepath.Join(b.TempDir(), "dataset")
	job := &load.Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: buildWorkers}
	runtime.GC()
	begun, before := time.Now(), cpu()
	if how != "" {
		setTree(b, e, m, how)
	}
	check(b, job.New(context.Background()))
	took := cpu() - before
	b.Logf("%s load of %d keys: %v of CPU time in %v", named(how), keys, took.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
	check(b, os.RemoveAll(dir))
	return float64(took.Nanoseconds()) / float64(keys)
}

// setTree makes the dataset one whose tables are built, of the tree that its keys
// grow into.
func setTree(b *testing.B, e engine.Engine, m *dataset.Manifest, how string) {
	b.Helper()
	shape, err := growth.Shape(m.Keys, growth.BenchKVDB())
	check(b, err)
	tree, err := treewriter.Tree(shape, e.(engine.Builder).FirstTable())
	check(b, err)
	m.Build, m.Order, m.Batch = how, dataset.OrderSequential, 0
	m.SetTree(tree)
}

func named(how string) string {
	if how == "" {
		return "natural"
	}
	return how
}
