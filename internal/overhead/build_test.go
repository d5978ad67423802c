package overhead

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load"
	"getio/load/growth"
	"getio/workload/dataset"
)

const (
	buildKeys      = 20_000_000
	buildLargeKeys = 200_000_000 // fixed costs matter less
	buildWorkers   = 2
)

// BenchmarkBuild compares the keys per CPU-second, the kernel's work included, of shaped and
// virtual loads with those of a natural load, from an empty directory to a settled and complete
// dataset. Keys are stratified, which cost next to nothing, and values come from a pool. Ratios
// are of speeds: above 1 is faster than natural.
func BenchmarkBuild(b *testing.B) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		b.Run(e.Name(), func(b *testing.B) {
			for b.Loop() {
				natural := loadCost(b, e, "", buildKeys)
				b.ReportMetric(natural, "natural-ns/key")
				for _, c := range []struct {
					name, how string
					keys      uint64
				}{
					{"shaped", dataset.BuildShaped, buildKeys},
					{"virtual", dataset.BuildVirtual, buildKeys},
					{"virtual200M", dataset.BuildVirtual, buildLargeKeys},
				} {
					built := loadCost(b, e, c.how, c.keys)
					b.ReportMetric(built, c.name+"-ns/key")
					b.ReportMetric(natural/built, c.name+"/natural")
				}
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// loadCost returns the CPU time per key, in nanoseconds, of a natural load, or of one that is
// built as how says. It removes the dataset.
func loadCost(b *testing.B, e engine.Engine, how string, keys uint64) float64 {
	b.Helper()
	engines, dir := engine.Registry{e}, filepath.Join(b.TempDir(), "dataset")
	m := &dataset.Manifest{
		Keys: keys, Keyspace: dataset.KeyspaceStratified, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: e.Name(), Preset: "bench_kvdb",
	}
	runtime.GC()
	begun, before := time.Now(), cpu()
	job, err := load.NewJob(engines, dir, m, nil, buildWorkers)
	if how != "" {
		m.Build, m.Batch = how, 0
		job, err = load.NewTreeJob(engines, dir, m, nil, buildWorkers, func(map[string]string) (*lsm.Shape, error) {
			return growth.Shape(keys, growth.BenchKVDB())
		})
	}
	require.NoError(b, err)
	require.NoError(b, job.New(context.Background()))
	took := cpu() - before
	b.Logf("%s load of %d keys: %v of CPU time in %v", cmp.Or(how, "natural"), keys, took.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
	require.NoError(b, os.RemoveAll(dir))
	return float64(took.Nanoseconds()) / float64(keys)
}
