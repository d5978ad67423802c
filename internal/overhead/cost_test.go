package overhead

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/cockroachdb/pebble"
	v1bloom "github.com/cockroachdb/pebble/bloom"
	v2 "github.com/cockroachdb/pebble/v2"
	v2bloom "github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

const (
	costKeys    = 1_000_000
	costWarmup  = 100_000
	costGets    = 300_000
	costWorkers = 2
	costRounds  = 11
)

// library is a database of either version of Pebble.
type library interface {
	Get(key []byte) (value []byte, closer io.Closer, err error)
	Close() error
}

// openBare opens the database in dir with the library alone.
type openBare func(dir string, cacheBytes int64) (library, error)

// BenchmarkCost compares the CPU time per Get of a measured run with that of a bare loop over the
// same keys.
func BenchmarkCost(b *testing.B) {
	for _, e := range []struct {
		engine engine.Engine
		open   openBare
	}{{pebblev1.Engine, openBareV1}, {pebblev2.Engine, openBareV2}} {
		b.Run(e.engine.Name(), func(b *testing.B) {
			dir, store, gets := costDataset(b, e.engine)
			onCaches(b, 1<<20, func(b *testing.B, cacheBytes int64) {
				var ios float64
				compare(b,
					kind{"bare", func() float64 { return bareRun(b, dir, gets, cacheBytes, e.open) }},
					kind{"measured", func() float64 {
						r := measuredRun(b, store, gets, cacheBytes, measure.Options{})
						ios = r.IOsPerGet.Mean
						return r.CPUusPerGet
					}})
				b.ReportMetric(ios, "ios/get")
			})
		})
	}
}

// onCaches runs a benchmark with a cache that mostly hits and a small one that mostly misses.
func onCaches(b *testing.B, small int64, run func(b *testing.B, cacheBytes int64)) {
	each := func(name string, bytes int64) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run(b, bytes)
				b.ReportMetric(0, "ns/op")
			}
		})
	}
	each("mostly-hits", 256<<20)
	each("mostly-misses", small)
}

// kind is one way to make the same Gets. run returns their CPU time per Get in microseconds.
type kind struct {
	name string
	run  func() float64
}

// compare makes all kinds of runs in each round, and begins each round with another kind, since
// the later ones find a warmer machine. It reports the median CPU time of each kind, and the
// median of its ratio to the first kind.
func compare(b *testing.B, kinds ...kind) {
	b.Helper()
	spent, ratios := make([][]float64, len(kinds)), make([][]float64, len(kinds))
	for round := range costRounds {
		cpu := make([]float64, len(kinds))
		for turn := range kinds {
			i := (round + turn) % len(kinds)
			cpu[i] = kinds[i].run()
		}
		for i := range kinds {
			spent[i], ratios[i] = append(spent[i], cpu[i]), append(ratios[i], cpu[i]/cpu[0])
		}
	}
	for i, k := range kinds {
		b.ReportMetric(median(spent[i]), k.name+"-cpu-us/get")
		if i > 0 {
			b.ReportMetric(median(ratios[i]), k.name+"/"+kinds[0].name)
		}
	}
}

// bareRun returns the CPU time per Get, in microseconds, of a loop of nothing but keys and Gets.
func bareRun(b *testing.B, dir string, gets keysource.Sequence, cacheBytes int64, open openBare) float64 {
	b.Helper()
	db, err := open(dir, cacheBytes)
	check(b, err)
	loop := func(first, n int64) {
		var taken atomic.Int64
		taken.Store(first)
		var workers sync.WaitGroup
		for range costWorkers {
			workers.Go(func() {
				var key []byte
				for {
					from := taken.Add(256) - 256
					if from >= first+n {
						return
					}
					for g := from; g < min(from+256, first+n); g++ {
						key, _ = gets.Key(g, key)
						_, closer, err := db.Get(key)
						if err == nil {
							err = closer.Close()
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				}
			})
		}
		workers.Wait()
	}
	loop(0, costWarmup)
	before := cpu()
	loop(costWarmup, costGets)
	took := cpu() - before
	check(b, db.Close())
	return float64(took.Nanoseconds()) / 1e3 / costGets
}

// measuredRun measures the Gets with a cache.
func measuredRun(b *testing.B, store engine.Store, gets keysource.Sequence, cacheBytes int64, o measure.Options) *record.Result {
	b.Helper()
	o.Gets, o.Warmup, o.Workers, o.TotalKeys = costGets, workload.WarmupGets(costWarmup), costWorkers, costKeys
	r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: cacheBytes}, gets, o)
	check(b, err)
	if !r.Checks.Hold() {
		b.Fatalf("checks failed: %v", r.Checks.Failed())
	}
	return r
}

func openBareV1(dir string, cacheBytes int64) (library, error) {
	cache := v1.NewCache(cacheBytes)
	defer cache.Unref()
	cache.Reserve(256 << 10) // for the memtable, as getio does, since v1 does not
	policy := v1bloom.FilterPolicy(10)
	return v1.Open(dir, &v1.Options{
		Cache: cache, ReadOnly: true, MaxOpenFiles: 1000, Logger: quiet{},
		Filters: map[string]v1.FilterPolicy{policy.Name(): policy},
	})
}

func openBareV2(dir string, cacheBytes int64) (library, error) {
	cache := v2.NewCache(cacheBytes)
	defer cache.Unref()
	policy := v2bloom.FilterPolicy(10)
	return v2.Open(dir, &v2.Options{
		Cache: cache, ReadOnly: true, MaxOpenFiles: 1000, Logger: quiet{},
		Filters: map[string]v2.FilterPolicy{policy.Name(): policy},
	})
}

// quiet is a logger of either library that writes nothing.
type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(format) }

// costOptions give a small tree several levels, and two-level indexes where there are any.
func costOptions(engine string) (preset string, options []string) {
	switch engine {
	case "goleveldb":
		return "geth-leveldb", []string{"table_size=512KiB", "l1_max_bytes=4MiB", "memtable_size=4MiB"}
	case "rocksdb":
		return "rocksdb-partitioned", []string{"target_file_size_base=1MiB", "max_bytes_for_level_base=4MiB", "write_buffer_size=4MiB"}
	}
	return "bench_kvdb", []string{"target_file_size=512KiB", "lbase_max_bytes=4MiB", "memtable_size=4MiB"}
}

// costDataset loads and opens a tree with those options.
func costDataset(b *testing.B, e engine.Engine) (dir string, store engine.Store, gets keysource.Sequence) {
	b.Helper()
	preset, options := costOptions(e.Name())
	m := &dataset.Manifest{
		Keys: costKeys, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: e.Name(), Preset: preset,
	}
	engines, root := engine.Registry{e}, filepath.Join(b.TempDir(), "dataset")
	job, err := load.NewJob(engines, root, m, append(options, "max_open_files=1000"), 2)
	check(b, err)
	check(b, job.New(context.Background()))
	d, err := database.Open(context.Background(), engines, root, database.OpenOptions{})
	check(b, err)
	b.Cleanup(func() { check(b, d.Close()) })
	gets, err = d.Gets(workload.Keys{Seed: 1})
	check(b, err)
	return m.DBDir(root), d.Store, gets
}

func cpu() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

func check(b *testing.B, err error) {
	b.Helper()
	require.NoError(b, err)
}
