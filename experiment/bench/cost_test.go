package bench

import (
	"context"
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
	"golang.org/x/sys/unix"

	"getio/dataset"
	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load"
	"getio/measure"
	"getio/measure/workload"
)

const (
	costKeys    = 1_000_000
	costWarmup  = 100_000
	costGets    = 300_000
	costWorkers = 2
	costRounds  = 11
)

// bareGet is a library's Get as a program would call it.
type bareGet func(key []byte) error

// openBare opens the database in dir with the library alone.
type openBare func(dir string, cacheBytes int64) (get bareGet, close func() error, err error)

// BenchmarkCost compares the CPU time per Get of a measured run with that of a
// bare loop over the same keys, on a cache that mostly hits and on one that
// mostly misses. Each round makes both, in turn; the ratio is the rounds'
// median.
func BenchmarkCost(b *testing.B) {
	for _, e := range []struct {
		engine engine.Engine
		open   openBare
	}{{pebblev1.Engine, openBareV1}, {pebblev2.Engine, openBareV2}} {
		b.Run(e.engine.Name(), func(b *testing.B) {
			dir, store, gets := costDataset(b, e.engine)
			b.Run("mostly-hits", func(b *testing.B) { compare(b, dir, store, gets, 256<<20, e.open) })
			b.Run("mostly-misses", func(b *testing.B) { compare(b, dir, store, gets, 1<<20, e.open) })
		})
	}
}

func compare(b *testing.B, dir string, store engine.Store, gets workload.Sequence, cacheBytes int64, open openBare) {
	for b.Loop() {
		var ratios, bareCPU, measuredCPU []float64
		var ios float64
		for round := range costRounds {
			var bare, measured float64
			// Who goes first alternates too: the second finds a warmer machine.
			for turn := range 2 {
				if (round+turn)%2 == 0 {
					bare = bareRun(b, dir, gets, cacheBytes, open)
				} else {
					measured, ios = measuredRun(b, store, gets, cacheBytes)
				}
			}
			ratios = append(ratios, measured/bare)
			bareCPU, measuredCPU = append(bareCPU, bare), append(measuredCPU, measured)
		}
		b.ReportMetric(median(ratios), "measured/bare")
		b.ReportMetric(median(bareCPU), "bare-cpu-us/get")
		b.ReportMetric(median(measuredCPU), "measured-cpu-us/get")
		b.ReportMetric(ios, "ios/get")
		b.ReportMetric(0, "ns/op")
	}
}

// bareRun is the CPU time per Get, in microseconds, of a loop of nothing but
// keys and Gets.
func bareRun(b *testing.B, dir string, gets workload.Sequence, cacheBytes int64, open openBare) float64 {
	b.Helper()
	get, closeDB, err := open(dir, cacheBytes)
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
						if err := get(key); err != nil {
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
	check(b, closeDB())
	return float64(took.Nanoseconds()) / 1e3 / costGets
}

func measuredRun(b *testing.B, store engine.Store, gets workload.Sequence, cacheBytes int64) (cpu, ios float64) {
	b.Helper()
	r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: cacheBytes}, gets,
		measure.Options{Gets: costGets, Warmup: measure.WarmupGets(costWarmup), Workers: costWorkers, Keys: costKeys})
	check(b, err)
	if !r.Checks.Hold() {
		b.Fatalf("checks failed: %v", r.Checks.Failed())
	}
	return r.CPUusPerGet, r.IOsPerGet.Mean
}

func openBareV1(dir string, cacheBytes int64) (bareGet, func() error, error) {
	cache := v1.NewCache(cacheBytes)
	defer cache.Unref()
	cache.Reserve(256 << 10) // as for the memtable, which v1 leaves out here and getio evens out
	policy := v1bloom.FilterPolicy(10)
	db, err := v1.Open(dir, &v1.Options{
		Cache: cache, ReadOnly: true, MaxOpenFiles: 1000, Logger: quiet{},
		Filters: map[string]v1.FilterPolicy{policy.Name(): policy},
	})
	if err != nil {
		return nil, nil, err
	}
	return func(key []byte) error {
		_, closer, err := db.Get(key)
		if err != nil {
			return err
		}
		return closer.Close()
	}, db.Close, nil
}

func openBareV2(dir string, cacheBytes int64) (bareGet, func() error, error) {
	cache := v2.NewCache(cacheBytes)
	defer cache.Unref()
	policy := v2bloom.FilterPolicy(10)
	db, err := v2.Open(dir, &v2.Options{
		Cache: cache, ReadOnly: true, MaxOpenFiles: 1000, Logger: quiet{},
		Filters: map[string]v2.FilterPolicy{policy.Name(): policy},
	})
	if err != nil {
		return nil, nil, err
	}
	return func(key []byte) error {
		_, closer, err := db.Get(key)
		if err != nil {
			return err
		}
		return closer.Close()
	}, db.Close, nil
}

// quiet is a logger of either library that says nothing.
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

// costDataset loads a tree of those options.
func costDataset(b *testing.B, e engine.Engine) (string, engine.Store, workload.Sequence) {
	b.Helper()
	preset, options := costOptions(e.Name())
	cfg, err := e.Configure(preset, append(options, "max_open_files=1000"))
	check(b, err)
	dir := filepath.Join(b.TempDir(), "dataset")
	m := &dataset.Manifest{
		Keys: costKeys, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: e.Name(), Preset: cfg.Preset(),
	}
	check(b, (&load.Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: 2}).New(context.Background()))
	store, err := e.OpenStore(context.Background(), m.DBDir(dir), cfg)
	check(b, err)
	keys, err := m.NewKeyspace()
	check(b, err)
	values, err := m.NewValues()
	check(b, err)
	return m.DBDir(dir), store, workload.Written(keys, values, workload.Random{Seed: 1})
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
	if err != nil {
		b.Fatal(err)
	}
}
