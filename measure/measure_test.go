package measure

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

func one(int64) int64 { return 1 }

// TestWindowsAddUp: every read of the measured Gets is in exactly one window.
func TestWindowsAddUp(t *testing.T) {
	for _, workers := range []int{1, 3, 16} {
		s := newFakeStore(func(n int64) int64 { return n % 4 })
		s.readBytes = 7
		const warmup, gets = 12_344, 98_765
		r, err := measureFake(s, Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(warmup), Workers: workers}})
		require.NoError(t, err)
		var reads int64
		for n := int64(warmup); n < warmup+gets; n++ {
			reads += n % 4
		}
		if want := float64(reads) / gets; r.IOsPerGet.Mean != want {
			t.Errorf("%d workers: %v I/Os per Get, %v expected", workers, r.IOsPerGet.Mean, want)
		}
		data := r.Components[readpath.Data.String()]
		require.Len(t, data.Windows, measuredWindows)
		require.Len(t, r.BytesWindows, measuredWindows)
		for i, n := range data.Windows {
			of := (int64(i)+1)*gets/measuredWindows - int64(i)*gets/measuredWindows
			assert.Equal(t, r.IOsPerGet.Windows[i], float64(n)/float64(of), "window %d", i)
			assert.Equal(t, 7*n, r.BytesWindows[i], "window %d", i)
			data.Misses -= n
		}
		assert.Zero(t, data.Misses, "reads are in no window")
		assert.Nil(t, r.Components[readpath.Filter.String()].Windows, "no filter was read")
		if r.Workload.Gets != gets || r.Workload.WarmupGets != warmup || len(r.IOsPerGet.Windows) != measuredWindows {
			t.Errorf("%d workers: %+v in %d windows", workers, r.Workload, len(r.IOsPerGet.Windows))
		}
		if r.CPUusPerGet <= 0 || r.GetsPerSecond <= 0 {
			t.Errorf("%d workers: %v us per Get, %v Gets/s", workers, r.CPUusPerGet, r.GetsPerSecond)
		}
	}
}

// recorded counts how often each Get is made.
type recorded struct {
	keysource.Sequence
	mu   sync.Mutex
	seen map[int64]int
}

func (r *recorded) Key(g int64, buf []byte) ([]byte, keysource.Want) {
	r.mu.Lock()
	r.seen[g]++
	r.mu.Unlock()
	return r.Sequence.Key(g, buf)
}

// TestGetsDoNotDependOnWorkers: gets 0 to n-1 are made once each.
func TestGetsDoNotDependOnWorkers(t *testing.T) {
	for _, workers := range []int{1, 7} {
		gets := &recorded{Sequence: fakeGets(), seen: map[int64]int{}}
		opts := Options{Workload: workload.Workload{Gets: 30_001, Warmup: workload.WarmupGets(5_000), Workers: workers}}
		s := newFakeStore(one)
		_, err := newPlan(s.shape, opts).measure(t.Context(), s, engine.OpenConfig{CacheBytes: 1}, gets, &splitSample{taken: true})
		require.NoError(t, err)
		for g := range int64(35_001) {
			require.Equal(t, 1, gets.seen[g], "%d workers, Get %d", workers, g)
		}
		assert.Len(t, gets.seen, 35_001, "%d workers", workers)
	}
}

// TestAutoWarmup: it ends once I/Os per Get are flat.
func TestAutoWarmup(t *testing.T) {
	flat, err := measureFake(newFakeStore(one), Options{Workload: workload.Workload{Gets: 200_000, Warmup: workload.AutoWarmup, Workers: 2}})
	require.NoError(t, err)
	assert.Equal(t, int64(minWarmupWindows*20_000), flat.Workload.WarmupGets)
	if testing.Short() {
		t.Skip("one worker makes the other run, of which the race detector has nothing to see")
	}
	// From 5 I/Os per Get to 1, by e each 300,000 Gets.
	const scale = 300_000
	falling, err := measureFake(newFakeStore(func(n int64) int64 {
		if float64(n%100) < 400*math.Exp(-float64(n)/scale)-100*math.Floor(4*math.Exp(-float64(n)/scale)) {
			return 2 + int64(math.Floor(4*math.Exp(-float64(n)/scale)))
		}
		return 1 + int64(math.Floor(4*math.Exp(-float64(n)/scale)))
	}), Options{Workload: workload.Workload{Gets: 200_000, Warmup: workload.AutoWarmup, Workers: 1}})
	require.NoError(t, err)
	if falling.Workload.WarmupGets < 3*scale {
		t.Errorf("a falling curve was warmed up with only %d Gets", falling.Workload.WarmupGets)
	}
	if falling.IOsPerGet.Mean > 1.1 {
		t.Errorf("%v I/Os per Get measured, want about 1, where they are steady", falling.IOsPerGet.Mean)
	}
}

func TestUnsteadyRun(t *testing.T) {
	skipShort(t)
	const gets = 400_000
	for _, way := range []int64{-1, 1} {
		s := newFakeStore(func(n int64) int64 {
			if part := 40 + way*20*n/gets; n%100 < part {
				return 2
			}
			return 1
		})
		r, err := measureFake(s, Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(0), Workers: 1}})
		require.NoError(t, err)
		if r.IOsPerGet.Steady == nil || *r.IOsPerGet.Steady || *r.IOsPerGet.Drift*float64(way) < 0.1 {
			t.Errorf("way %d: steady %v, drift %v", way, r.IOsPerGet.Steady, r.IOsPerGet.Drift)
		}
	}
}

func TestTooFewGetsForSteadiness(t *testing.T) {
	r, err := measureFake(newFakeStore(one), Options{Workload: workload.Workload{Gets: 50_000, Warmup: workload.WarmupGets(0), Workers: 1}})
	require.NoError(t, err)
	if r.IOsPerGet.Steady != nil || r.IOsPerGet.Drift != nil || len(r.Warnings) == 0 {
		t.Errorf("steady %v, drift %v, warnings %v", r.IOsPerGet.Steady, r.IOsPerGet.Drift, r.Warnings)
	}
}

func TestRunEndsAtTheFirstWrongGet(t *testing.T) {
	for name, get := range map[string]func(n int64, key []byte) (bool, error){
		"a Get fails":          func(n int64, _ []byte) (bool, error) { return true, failAt(n) },
		"a key is missing":     func(n int64, _ []byte) (bool, error) { return n != 70_000, nil },
		"the library panics":   func(n int64, _ []byte) (bool, error) { return panicAt(n), nil },
		"in the warm-up fails": func(n int64, _ []byte) (bool, error) { return n != 100, nil },
	} {
		s := newFakeStore(one)
		s.get = get
		r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 100_000, Warmup: workload.WarmupGets(30_000), Workers: 4}})
		if err == nil || r != nil {
			t.Errorf("%s: result %v, error %v", name, r, err)
		}
	}
}

func failAt(n int64) error {
	if n == 70_000 {
		return errors.New("checksum mismatch")
	}
	return nil
}

func panicAt(n int64) bool {
	if n == 70_000 {
		panic("damaged block")
	}
	return true
}

func TestAbsentKeyFoundEndsTheRun(t *testing.T) {
	s := newFakeStore(one)
	absent := keysource.Written(mustKeys(), nil, workload.Keys{Seed: 1, Absent: 0.5})
	_, err := Measure(context.Background(), s, engine.OpenConfig{CacheBytes: 1}, absent, Options{Workload: workload.Workload{Gets: 1000, Workers: 1}})
	assert.Error(t, err, "no error from a store that finds every key, although half of them are absent")
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newFakeStore(one)
	s.get = func(n int64, _ []byte) (bool, error) {
		if n == 10_000 {
			cancel()
		}
		return true, nil
	}
	_, err := Measure(ctx, s, engine.OpenConfig{CacheBytes: 1}, fakeGets(), Options{Workload: workload.Workload{Gets: 1 << 40, Warmup: workload.WarmupGets(0), Workers: 2}})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestChecks(t *testing.T) {
	s := newFakeStore(one)
	s.checks = []readpath.Check{{Name: "a", OK: true}, {Name: "b", OK: false}}
	r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 1000, Workers: 1}, Counted: Counted{NoSplit: true}})
	if err != nil || r.Checks.Hold() || len(r.Checks.Failed()) != 1 {
		t.Errorf("believable %v, error %v", r.Checks.Hold(), err)
	}
}

func TestExactSplit(t *testing.T) {
	for _, miscount := range []int64{0, 1} {
		s := newFakeStore(one)
		opts := Options{Workload: workload.Workload{Gets: 30_000, Warmup: workload.WarmupGets(1000), Workers: 3}, Counted: Counted{ExactSplit: true}}
		before, err := measureFake(s, opts)
		require.NoError(t, err)
		if !before.Checks.Hold() || before.Components["index"].Split != record.SplitExact || *before.Components["index"].Accesses != opts.Gets {
			t.Errorf("%+v, %+v", before.Checks, before.Components["index"])
		}
		// The library counts one access more in every later interval.
		var calls int64
		s.reads = func(n int64) int64 { calls++; s.miscount = calls * miscount; return 1 }
		opts.Workers = 1
		after, err := measureFake(s, opts)
		require.NoError(t, err)
		assert.Equal(t, miscount == 0, after.Checks.Hold(), "miscounted by %d a Get", miscount)
	}
}

func TestSplitSampleIsTakenOnce(t *testing.T) {
	s := newFakeStore(one)
	sample := &splitSample{}
	for range 3 {
		r, err := newPlan(s.shape, Options{Workload: workload.Workload{Gets: 2000, Workers: 1}}).measure(t.Context(), s, engine.OpenConfig{CacheBytes: 1 << 20}, fakeGets(), sample)
		if err != nil || r.Components["data"].Split != record.SplitEstimated {
			t.Fatalf("split %q, error %v", r.Components["data"].Split, err)
		}
	}
	assert.EqualValues(t, 4, s.opens.Load())
}

func mustKeys() dataset.Keyspace {
	keys, err := dataset.NewKeyspace(dataset.KeyspaceStratified, 1000, 1)
	if err != nil {
		panic(err)
	}
	return keys
}
