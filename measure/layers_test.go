package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/record"
	"getio/system/device"
	"getio/workload"
)

func checkNamed(t *testing.T, r *record.Result, name string) readpath.Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check %s among %v", name, r.Checks)
	return readpath.Check{}
}

// With the page cache bypassed, device reads equal reads of files, and their bytes equal the
// kernel's account.
func TestLayersPastThePageCache(t *testing.T) {
	layerStores(t, func(t *testing.T, s engine.Store, gets func() keysource.Sequence) {
		open := engine.OpenConfig{CacheBytes: 1 << 20, Device: device.New(device.Bypass, device.Model{})}
		r, err := Measure(context.Background(), s, open, gets(), Options{Workload: workload.Workload{Gets: 1_500, Warmup: workload.WarmupGets(500), Workers: 3}})
		if err != nil && strings.Contains(err.Error(), "past the page cache") {
			t.Skip(err)
		}
		require.NoError(t, err)
		if !r.Checks.Hold() {
			t.Fatalf("%+v", r.Checks.Failed())
		}
		checkNamed(t, r, "device_reads")
		checkNamed(t, r, "device_bytes")
		checkNamed(t, r, "device_pages")
		d := r.Device
		if d.PageCache != "bypassed" || d.ReadsPerGet == nil || math.Abs(*d.ReadsPerGet/r.File.ReadsPerGet-1) > mostReads {
			t.Errorf("%+v, %v reads of files per Get", d, r.File.ReadsPerGet)
		}
		if d.BytesPerGet == nil || *d.BytesPerGet < *d.ReadsPerGet*device.Block {
			t.Errorf("bytes %v for %v reads", d.BytesPerGet, *d.ReadsPerGet)
		}
		if r.GetsPerSecond <= 0 || d.Modelled != nil {
			t.Errorf("%v Gets/s, modelled %v", r.GetsPerSecond, d.Modelled)
		}
		if r.Cached.MissesPerGet == nil || *r.Cached.MissesPerGet != float64(r.Cached.Misses)/1_500 {
			t.Errorf("%+v", r.Cached)
		}
	})
}

// A modelled device of 3,000 reads per second gives 3,000 / (I/Os per Get) Gets per second by the
// synctest clock, on which only waiting takes time. The warm-up does not wait.
func TestGetsPerSecondOfModelledDevice(t *testing.T) {
	layerStores(t, func(t *testing.T, s engine.Store, gets func() keysource.Sequence) {
		if s.Info().Engine == "goleveldb" {
			t.Skip("the library leaves a goroutine behind after a read-only open, which a bubble does not allow")
		}
		for _, workers := range []int{1, 16} {
			if testing.Short() && workers == 1 {
				continue // nothing for the race detector
			}
			synctest.Test(t, func(t *testing.T) {
				open := engine.OpenConfig{CacheBytes: 1 << 20, Device: device.New(device.Keep, device.Model{IOPS: 3000})}
				start := time.Now()
				var warm time.Duration
				opts := Options{Workload: workload.Workload{Gets: 6_000, Warmup: workload.WarmupGets(2_000), Workers: workers}, Counted: Counted{NoSplit: true}, Observe: observe(func() { warm = time.Since(start) })}
				r, err := Measure(context.Background(), s, open, gets(), opts)
				require.NoError(t, err)
				m := r.Device.Modelled
				if m == nil || m.IOPS != 3000 || r.GetsPerSecond != 0 {
					t.Fatalf("%+v, %v Gets/s of the machine", m, r.GetsPerSecond)
				}
				if want := 3000 / r.IOsPerGet.Mean; math.Abs(m.GetsPerSecond/want-1) > 0.03 {
					t.Errorf("%d workers: %.0f Gets/s with %.3f I/Os per Get, %.0f expected", workers, m.GetsPerSecond, r.IOsPerGet.Mean, want)
				}
				assert.LessOrEqual(t, warm, 100*time.Millisecond)
			})
		}
	})
}

// observe implements Observer with a function that is called after the warm-up.
type observe func()

func (o observe) WarmedUp(engine.DB)                     { o() }
func (observe) Measured(engine.DB, int64, time.Duration) {}

// With the page cache in use, bytes are the kernel's; reads are known only if there were none.
func TestLayersAsTheyAre(t *testing.T) {
	r, err := measureFake(newFakeStore(one), Options{Workload: workload.Workload{Gets: 20_000, Warmup: workload.WarmupGets(0), Workers: 2}})
	require.NoError(t, err)
	d := r.Device
	if d.PageCache != "cached" || d.Disk != "" || d.DiskReadsPerGet != nil || d.Modelled != nil {
		t.Errorf("%+v", d)
	}
	assert.Equal(t, d.BytesPerGet != nil && *d.BytesPerGet == 0, (d.ReadsPerGet != nil), "reads %v, bytes %v", d.ReadsPerGet, d.BytesPerGet)
}

// Without the kernel's account, figures are absent and there is a warning; with the page cache
// bypassed, reads are still counted.
func TestNoAccount(t *testing.T) {
	for pages, known := range map[device.PageCache]bool{device.Keep: false, device.Bypass: true} {
		r := &run{phase: &phase{gets: 10}, layers: &layers{way: device.New(pages, device.Model{}), asked: device.Count{Reads: 20, Bytes: 30}, err: errors.New("no account")}}
		var result record.Result
		r.describeDevice(&result)
		if result.Device.BytesPerGet != nil || (result.Device.ReadsPerGet != nil) != known {
			t.Errorf("%s: %+v", pages, result.Device)
		}
		assert.Contains(t, fmt.Sprint(result.Warnings), "no account: the bytes that reached the device are not known", pages)
		for _, c := range r.layers.check(engine.Counts{}) {
			assert.NotEqual(t, "device_bytes", c.Name, "%s: an unknown figure was compared: %+v", pages, c)
		}
	}
}

// Checks fail for one byte too many or too few, and for one read in fifty.
func TestLayersThatDisagree(t *testing.T) {
	for _, c := range []struct {
		pages   device.PageCache
		asked   int64
		account device.ProcessIO
		ok      bool
	}{
		{device.Bypass, 8192, device.ProcessIO{Bytes: 8192}, true},
		{device.Bypass, 8192, device.ProcessIO{Bytes: 8191}, false},
		{device.Bypass, 8192, device.ProcessIO{Bytes: 8193}, false},
		{device.Bypass, 8192, device.ProcessIO{Bytes: 12288, Faults: 1}, true},
		{device.Bypass, 8192, device.ProcessIO{Bytes: 4096, Faults: 1}, false},
		{device.Cold, 8192, device.ProcessIO{Bytes: 12288}, true},
		{device.Cold, 8192, device.ProcessIO{Bytes: 4096}, false},
	} {
		assert.Equal(t, c.ok, checkBytes(c.pages, device.Count{Bytes: c.asked}, c.account).OK, "%s, %d bytes, %+v", c.pages, c.asked, c.account)
	}
	for reads, ok := range map[int64]bool{100: true, 101: true, 99: true, 98: false, 102: false, 0: false} {
		l := &layers{way: device.New(device.Bypass, device.Model{}), asked: device.Count{Reads: reads, Bytes: reads * 8192}, err: errors.New("no account")}
		var run engine.Counts
		run.Reads.Count[0], run.Reads.Pages = 100, 200
		if checks := l.check(run); len(checks) != 2 || checks[0].OK != ok || checks[1].OK != ok {
			t.Errorf("%d reads of 100: %+v", reads, checks)
		}
	}
}

// A result is not reused for another way to the device.
func TestSameDevice(t *testing.T) {
	ways := []*device.Layer{
		nil, device.New(device.Bypass, device.Model{}), device.New(device.Cold, device.Model{}),
		device.New(device.Keep, device.Model{IOPS: 3000}), device.New(device.Keep, device.Model{IOPS: 3001}),
		device.New(device.Bypass, device.Model{IOPS: 3000, Latency: time.Millisecond}),
	}
	for i, of := range ways {
		r := &record.Result{Device: record.Device{PageCache: string(of.PageCache()), Modelled: modelled(of.Model())}}
		if m := r.Device.Modelled; m != nil {
			m.GetsPerSecond = 7
		}
		for j, way := range ways {
			assert.Equal(t, i == j, sameDevice(r, way), "result of way %d for way %d", i, j)
		}
	}
}
