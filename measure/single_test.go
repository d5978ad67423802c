package measure

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/readpath"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/system/device"
	"getio/workload"
)

// TestDistributionOfFakeGets checks the distribution against known reads, with one worker or more.
func TestDistributionOfFakeGets(t *testing.T) {
	for _, workers := range []int{1, 5} {
		s := newFakeStore(func(n int64) int64 { return n % 4 })
		r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 40_000, Warmup: workload.WarmupGets(2_000), Workers: workers, Rate: 1_000_000}, Counted: Counted{Distribution: true}})
		require.NoError(t, err)
		d := r.Distribution
		for reads, gets := range d.Histogram {
			if gets != 10_000 || len(d.Histogram) != 4 {
				t.Errorf("%d workers: %d Gets made %d reads", workers, gets, reads)
			}
		}
		if d.P50 != 1 || d.P90 != 3 || d.Max != 3 || d.UnattributedReads != 0 || !r.Checks.Hold() {
			t.Errorf("%d workers: %+v, checks %+v", workers, d, r.Checks)
		}
		if l := r.Latency; l == nil || l.Kind != record.LatencyResponse || l.Rate != 1_000_000 || l.Service == nil {
			t.Errorf("%d workers: latency %+v", workers, l)
		}
	}
}

// TestUnattributedReadsFailTheRun checks that they do so above 0.1%, and are counted below.
func TestUnattributedReadsFailTheRun(t *testing.T) {
	for every, want := range map[int64]bool{10_000: true, 500: false} {
		s := newFakeStore(one)
		s.stray = func(n int64) bool { return n%every == 0 }
		r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 40_000, Warmup: workload.WarmupGets(0), Workers: 2}, Counted: Counted{Distribution: true}})
		require.NoError(t, err)
		if r.Checks.Hold() != want || r.Distribution.UnattributedReads != 40_000/every {
			t.Errorf("one in %d: %+v, %d unattributed", every, r.Checks.Failed(), r.Distribution.UnattributedReads)
		}
	}
}

func TestCheckDistribution(t *testing.T) {
	d := record.NewDistribution([]int64{1, 2}, 0)
	reads := func(n int64) (c engine.Counts) {
		c.Reads.Count[readpath.Data] = n
		return c
	}
	for _, c := range []struct {
		gets, reads int64
		want        bool
	}{{3, 2, true}, {4, 2, false}, {3, 3, false}, {3, 1, false}} {
		assert.Equal(t, c.want, checkDistribution(d, c.gets, reads(c.reads)).OK, c)
	}
}

// TestDistributionMatchesCounts checks, with every engine and page cache mode, that the mean of
// single Gets equals the counted mean and that all reads are attributed.
func TestDistributionMatchesCounts(t *testing.T) {
	count := 4000 // enough for workers to run concurrently
	if testing.Short() {
		count = 2000
	}
	layerStores(t, func(t *testing.T, s engine.Store, gets func() keysource.Sequence) {
		for name, way := range map[string]*device.Layer{
			"as it is": nil,
			"bypassed": device.New(device.Bypass, device.Model{}),
			"modelled": device.New(device.Keep, device.Model{IOPS: 200_000}),
		} {
			for _, seek := range []bool{false, true} {
				if _, unread := s.Shape().ComponentBytes(); seek && unread == 0 {
					continue
				}
				open := engine.OpenConfig{CacheBytes: 1 << 20, Device: way, LastLevelFilters: seek}
				r, err := Measure(t.Context(), s, open, gets(), Options{Workload: workload.Workload{Gets: int64(count), Warmup: workload.WarmupGets(1_000), Workers: 3}, Counted: Counted{NoSplit: true, Distribution: true, Latency: true}})
				if err != nil && strings.Contains(err.Error(), "past the page cache") {
					continue // not on this file system
				}
				require.NoError(t, err)
				requireDistribution(t, name, r)
			}
		}
	})
}

func requireDistribution(t *testing.T, name string, r *record.Result) {
	t.Helper()
	d := r.Distribution
	if mean := float64(d.Reads()) / float64(d.Gets()); mean != r.IOsPerGet.Mean || d.UnattributedReads != 0 || d.Gets() != r.Workload.Gets {
		t.Errorf("%s: mean %v of %d Gets, counted %v; %d unattributed", name, mean, d.Gets(), r.IOsPerGet.Mean, d.UnattributedReads)
	}
	if !r.Checks.Hold() || d.Histogram[d.Max] == 0 {
		t.Errorf("%s: %+v, %+v", name, r.Checks.Failed(), d)
	}
	l := r.Latency
	if l.Kind != record.LatencyService || l.Service != nil || l.Rate != 0 || l.P50 <= 0 || l.P50 > l.P99 || l.P99 > l.Max || l.Mean > l.Max {
		t.Errorf("%s: %+v", name, l)
	}
}

// TestUnreachedRateWarns: gets of 100 us cannot reach 1,000,000 per second.
func TestUnreachedRateWarns(t *testing.T) {
	s := newFakeStore(one)
	s.get = func(int64, []byte) (bool, error) {
		for began := time.Now(); time.Since(began) < 100*time.Microsecond; {
		}
		return true, nil
	}
	r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 2_000, Workers: 1, Rate: 1_000_000}, Counted: Counted{NoSplit: true}})
	require.NoError(t, err)
	if r.Latency.Reached > 10_000 || !strings.Contains(strings.Join(r.Warnings, "\n"), "of 1000000 Gets per second were reached") {
		t.Errorf("%v a second, warnings %q", r.Latency.Reached, r.Warnings)
	}
	if l := r.Latency; l.P50 < 50*l.Service.P50 {
		t.Errorf("no queueing in %+v", l)
	}
	if r.CPUusPerGet != 0 || r.GetsPerSecond != r.Latency.Reached {
		t.Errorf("%v us of CPU per Get, %v Gets a second", r.CPUusPerGet, r.GetsPerSecond)
	}
}

// TestContinuedRunsAreNotRecorded checks that distribution and latency are those of the first run.
func TestContinuedRunsAreNotRecorded(t *testing.T) {
	r, err := measureFake(newFakeStore(fallingUntil(1_000_000)), Options{Workload: workload.Workload{Gets: 200_000, Warmup: workload.WarmupGets(0), Workers: 2, MoreRuns: 1}, Counted: Counted{Distribution: true, Latency: true}})
	require.NoError(t, err)
	if len(r.Continued) != 1 || r.Distribution.Gets() != 200_000 || !r.Checks.Hold() {
		t.Errorf("%d more runs, %d Gets noted, %+v", len(r.Continued), r.Distribution.Gets(), r.Checks.Failed())
	}
}

// TestRunAtARateEnds: it ends at once when cancelled, and at a Get that fails.
func TestRunAtARateEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newFakeStore(one)
	s.get = func(n int64, _ []byte) (bool, error) {
		if n == 2 {
			cancel()
		}
		return true, nil
	}
	_, err := Measure(ctx, s, engine.OpenConfig{CacheBytes: 1}, fakeGets(), Options{Workload: workload.Workload{Gets: 1 << 40, Workers: 3, Rate: 50}})
	assert.ErrorIs(t, err, context.Canceled)
	s.get = func(n int64, _ []byte) (bool, error) { return n != 3, nil }
	if r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 1 << 40, Workers: 3, Rate: 50}}); err == nil || r != nil {
		t.Errorf("result %v, error %v", r, err)
	}
}

// TestSweepReusesMatchingResults: a result without the requested figures, or at another rate,
// is measured again.
func TestSweepReusesMatchingResults(t *testing.T) {
	service := &record.Latency{Kind: record.LatencyService}
	at := func(rate int64) *record.Latency { return &record.Latency{Kind: record.LatencyResponse, Rate: rate} }
	cfg, err := pebblev2.Engine.Configure("", nil)
	require.NoError(t, err)
	some := record.NewDistribution([]int64{1}, 0)
	for _, c := range []struct {
		distribution *record.Distribution
		latency      *record.Latency
		opts         Options
		want         bool
	}{
		{nil, nil, Options{}, true},
		{some, service, Options{}, true},
		{nil, nil, Options{Counted: Counted{Distribution: true}}, false},
		{some, nil, Options{Counted: Counted{Distribution: true}}, true},
		{some, nil, Options{Counted: Counted{Latency: true}}, false},
		{nil, service, Options{Counted: Counted{Latency: true}}, true},
		{nil, at(5), Options{Counted: Counted{Latency: true}}, false},
		{nil, at(5), Options{}, false},
		{nil, at(5), Options{Workload: workload.Workload{Rate: 5}}, true},
		{nil, at(5), Options{Workload: workload.Workload{Rate: 5}, Counted: Counted{Latency: true}}, true},
		{nil, at(5), Options{Workload: workload.Workload{Rate: 6}}, false},
		{nil, service, Options{Workload: workload.Workload{Rate: 5}}, false},
		{nil, nil, Options{Workload: workload.Workload{Rate: 5}}, false},
	} {
		store := newFakeStore(one)
		c.opts.Gets, c.opts.Workers = 1_000, 1
		sweep := &Sweep{Database: &database.Database{Store: store, Config: cfg}, Options: c.opts}
		r, err := measureFake(store, Options{Workload: workload.Workload{Gets: 1_000, Workers: 1}, Counted: Counted{NoSplit: true}})
		require.NoError(t, err)
		sweep.Database.Description(sweep.Keys)(r)
		r.Distribution, r.Latency = c.distribution, c.latency
		assert.Equal(t, c.want, sweep.same(r, engine.OpenConfig{}), "distribution %v, latency %+v for %+v", c.distribution != nil, c.latency, c.opts)
	}
}
