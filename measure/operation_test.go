package measure

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/measure/keysource"
	"getio/record"
	"getio/system/device"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
	"getio/workload/trace"
)

// operations has one of every kind.
var operations = []workload.Operation{{}, {Kind: workload.Scan, Records: 30}, {Kind: workload.Multiget, Records: 8}}

func requireHolds(t *testing.T, r *record.Result) {
	t.Helper()
	if !r.Checks.Hold() {
		t.Fatalf("%+v", r.Checks.Failed())
	}
}

// TestTraceRepeatsTheRun checks that, with one worker, a recorded run and its replay access and
// read the same blocks.
func TestTraceRepeatsTheRun(t *testing.T) {
	skipShort(t)
	grownStores(t, func(t *testing.T, s engine.Store, written func(workload.Keys) keysource.Sequence) {
		sampled := func(r workload.Keys) keysource.Sequence {
			gets, err := keysource.Sampled(s, r)
			require.NoError(t, err)
			return gets
		}
		for name, gets := range map[string]func() keysource.Sequence{
			"uniform": func() keysource.Sequence { return written(workload.Keys{Seed: 3}) },
			"zipf, absent": func() keysource.Sequence {
				return written(workload.Keys{Seed: 3, Absent: 0.3, Popularity: popularity.Popularity{Zipf: 0.9}})
			},
			"sampled":        func() keysource.Sequence { return sampled(workload.Keys{Seed: 3}) },
			"sampled, mixed": func() keysource.Sequence { return sampled(workload.Keys{Seed: 3, Absent: 0.5}) },
		} {
			for _, o := range operations {
				t.Run(fmt.Sprintf("%s %s", name, o.Kind), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "trace.gz")
					w, err := trace.Create(path, nil)
					require.NoError(t, err)
					open, opts := engine.OpenConfig{CacheBytes: replayCache(s)}, Options{Workload: workload.Workload{Gets: 250, Warmup: workload.WarmupGets(50), Workers: 1, Operation: o}, Record: w}
					first, err := measureAndClose(s, open, gets(), opts)
					require.NoError(t, err)
					require.NoError(t, w.Finish(first.Workload.WarmupGets))
					f, err := trace.Check(context.Background(), path, nil)
					require.NoError(t, err)
					if f.Operations != 300 || f.Warmup != 50 || f.Records != int(o.EachRecords()) {
						t.Errorf("%+v", f)
					}
					again, err := keysource.Traced(f)
					require.NoError(t, err)
					opts.Record = nil
					second, err := measureAndClose(s, open, again, opts)
					require.NoError(t, err)
					requireHolds(t, first)
					requireHolds(t, second)
					if !maps.EqualFunc(first.Components, second.Components, func(a, b record.Component) bool { return reflect.DeepEqual(a, b) }) {
						t.Errorf("%+v, and %+v again", first.Components, second.Components)
					}
					if !reflect.DeepEqual(first.IOsPerGet, second.IOsPerGet) || !reflect.DeepEqual(first.PerKey, second.PerKey) || first.Workload.HitFraction != second.Workload.HitFraction {
						t.Errorf("%+v, %+v, %v found; and %+v, %+v, %v again", first.IOsPerGet, first.PerKey, first.Workload.HitFraction, second.IOsPerGet, second.PerKey, second.Workload.HitFraction)
					}
				})
			}
		}
	})
}

// replayCache returns a cache size with which every run evicts the same blocks. RocksDB charges
// a block for the memory that its allocator happened to return, so there no block may be evicted.
func replayCache(s engine.Store) int64 {
	if s.Info().Engine == "rocksdb" {
		return 64 << 20
	}
	return 1 << 20
}

func measureAndClose(s engine.Store, open engine.OpenConfig, gets keysource.Sequence, opts Options) (*record.Result, error) {
	defer gets.Close()
	return Measure(context.Background(), s, open, gets, opts)
}

// TestOperations runs all kinds of operations, with several workers, exact splits and every mode
// of the page cache.
func TestOperations(t *testing.T) {
	count := 500
	if testing.Short() {
		count = 200
	}
	// Under the race detector, Pebble's iterators randomly disable a seek optimization, so no
	// two runs access the same blocks (internal/invariants, disableSeekOpt).
	exact := !testing.Short()
	grownStores(t, func(t *testing.T, s engine.Store, gets func(workload.Keys) keysource.Sequence) {
		// Iterators of long scans prefetch if they may.
		for _, o := range append(operations[1:], workload.Operation{Kind: workload.Scan, Records: 100}) {
			t.Run(fmt.Sprint(o.Kind, o.Records), func(t *testing.T) {
				if testing.Short() && o.Records > 30 {
					t.Skip("long scans are like short ones to the race detector")
				}
				for _, pages := range []device.PageCache{device.Keep, device.Bypass, device.Cold} {
					if testing.Short() && pages != device.Keep {
						continue // other modes with this number of workers
					}
					open := engine.OpenConfig{CacheBytes: 1 << 20, Device: device.New(pages, device.Model{})}
					r, err := measureAndClose(s, open, gets(workload.Keys{Seed: 1, Absent: 0.2}),
						Options{Workload: workload.Workload{Gets: int64(count), Warmup: workload.WarmupGets(int64(count) / 4), Workers: 3, Operation: o}, Counted: Counted{ExactSplit: exact, Distribution: pages == device.Keep, Latency: true}})
					if err != nil && strings.Contains(err.Error(), "page cache") {
						continue // no device under this directory
					}
					require.NoError(t, err)
					requireHolds(t, r)
					w := r.Workload
					if w.Operation != o || math.Abs(w.HitFraction-0.8) > 0.05 {
						t.Errorf("%+v", w)
					}
					// A scan that begins near the last key returns fewer.
					if r.PerKey.Keys > int64(count*o.Records) || r.PerKey.Keys < int64(count*o.Records)*985/1000 ||
						math.Abs(r.PerKey.IOs*float64(r.PerKey.Keys)-float64(count)*r.IOsPerGet.Mean) > 1e-6 {
						t.Errorf("%+v of %v per operation", r.PerKey, r.IOsPerGet.Mean)
					}
				}
			})
		}
	})
}

func TestScanChecksTheOrder(t *testing.T) {
	keys := mustKeys()
	var of [5][dataset.KeySize]byte
	for i := range of {
		keys.Key(keys.Len()-5+uint64(i), &of[i])
	}
	all := [][]byte{of[0][:], of[1][:], of[2][:], of[3][:], of[4][:]}
	for name, c := range map[string]struct {
		come [][]byte
		want string
	}{
		"all":            {all[1:], ""},
		"one is missing": {[][]byte{all[1], all[3], all[4]}, "came in a scan where key"},
		"the last is":    {all[1:4], "ended after 3 records, where 4 keys come"},
		"none comes":     {nil, "must exist and was not found"},
		"the first is":   {all[2:], "must exist and was not found"},
		"one before":     {all, "began with key"},
		"one twice":      {[][]byte{all[1], all[1], all[2]}, "after key"},
		"one too many":   {append(all[1:5:5], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), "came in a scan where key"},
	} {
		scan := keysource.NewScan(keysource.Written(keys, nil, workload.Keys{}), 100)
		scan.Begin(7, all[1], keysource.Want{Present: true, Index: keys.Len() - 4})
		var err error
		for _, key := range c.come {
			if err = scan.Record(key, nil); err != nil {
				break
			}
		}
		records := 0
		if err == nil {
			records, _, err = scan.End()
		}
		if c.want == "" && (err != nil || records != 4) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %d records, error %v", name, records, err)
		}
	}
}

func TestUnorderedStoreRefusesScans(t *testing.T) {
	s := newFakeStore(one)
	for _, o := range operations[1:] {
		_, err := measureFake(s, Options{Workload: workload.Workload{Gets: 1000, Workers: 1, Operation: o}})
		assert.ErrorContains(t, err, "does not keep the keys of fake in order")
	}
}

// TestWrongTraces has traces that end too early or are wrong about whether a key exists.
func TestWrongTraces(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, presence trace.Presence, n int) *trace.File {
		w, err := trace.Create(filepath.Join(dir, name), nil)
		require.NoError(t, err)
		for range n {
			require.NoError(t, w.Write(&trace.Operation{Kind: workload.Get, Keys: []trace.Key{{Bytes: []byte("k"), Presence: presence}}}))
		}
		require.NoError(t, w.Finish(0))
		f, err := trace.Check(context.Background(), filepath.Join(dir, name), nil)
		require.NoError(t, err)
		return f
	}
	s := newFakeStore(one)
	s.get = func(n int64, _ []byte) (bool, error) { return n%2 == 0, nil }
	for name, c := range map[string]struct {
		f    *trace.File
		want string
	}{
		"short":   {write("short", trace.Open, 500), "has 500 operations, but the run needs at least 1000"},
		"present": {write("present", trace.Present, 1000), "present, line 3: key 6b must exist and was not found"},
		"absent":  {write("absent", trace.Absent, 1000), "absent, line 2: key 6b must not exist and was found"},
	} {
		gets, err := keysource.Traced(c.f)
		require.NoError(t, err)
		_, err = measureAndClose(s, engine.OpenConfig{CacheBytes: 1 << 20}, gets, Options{Workload: workload.Workload{Gets: 1000, Workers: 1}, Counted: Counted{NoSplit: true}})
		assert.ErrorContains(t, err, c.want, name)
	}
	gets, err := keysource.Traced(write("open", trace.Open, 1000))
	require.NoError(t, err)
	r, err := measureAndClose(s, engine.OpenConfig{CacheBytes: 1 << 20}, gets, Options{Workload: workload.Workload{Gets: 1000, Workers: 1}, Counted: Counted{NoSplit: true}})
	require.NoError(t, err)
	assert.Equal(t, 0.5, r.Workload.HitFraction)
}
