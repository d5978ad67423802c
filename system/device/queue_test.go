package device

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// memory is a file that takes no time to read.
type memory struct{ *bytes.Reader }

func (memory) Fd() uintptr { return ^uintptr(0) }

// elapsed returns how long the workers take for the given number of reads each, by the synctest
// clock, on which only waiting takes time. Each worker waits between its reads.
func elapsed(t *testing.T, m Model, workers, reads int, between time.Duration) (took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Keep, m)
		l.Slow(true)
		r, err := l.Reader(memory{bytes.NewReader(make([]byte, 8))}, "memory")
		require.NoError(t, err)
		start := time.Now()
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for range reads {
					_, err := r.ReadAt(make([]byte, 8), 0)
					assert.NoError(t, err)
					time.Sleep(between)
				}
			})
		}
		all.Wait()
		took = time.Since(start)
	})
	return took
}

func TestModelledSpeed(t *testing.T) {
	for _, c := range []struct {
		model          Model
		workers, reads int
		between        time.Duration
		want           float64 // reads per second
	}{
		{Model{IOPS: 3000}, 1, 30_000, 0, 3000},
		{Model{IOPS: 3000}, 64, 1_000, 0, 3000},
		{Model{IOPS: 3000}, 8, 3_000, time.Millisecond, 3000},                              // 8,000 without a bound
		{Model{IOPS: 3000}, 1, 1_000, 5 * time.Millisecond, 200},                           // not saturated
		{Model{Latency: time.Millisecond}, 1, 1_000, 0, 1000},                              // one at a time
		{Model{Latency: time.Millisecond}, 16, 1_000, 0, 16_000},                           // in flight together
		{Model{IOPS: 3000, Latency: time.Millisecond}, 2, 3_000, 0, 2000},                  // latency binds
		{Model{IOPS: 3000, Latency: time.Millisecond}, 16, 3_000, 0, 3000},                 // IOPS bind
		{Model{IOPS: MaxIOPS, Latency: MaxLatency}, 100, 2, 0, 100 / MaxLatency.Seconds()}, // the bounds
	} {
		took := elapsed(t, c.model, c.workers, c.reads, c.between)
		if got := float64(c.workers*c.reads) / took.Seconds(); math.Abs(got/c.want-1) > 0.01 {
			t.Errorf("%+v, %d workers, %v between reads: %.0f reads per second, %.0f expected", c.model, c.workers, c.between, got, c.want)
		}
	}
}

// TestModelDoesNotDelayBeforeSlow, as in a warm-up.
func TestModelDoesNotDelayBeforeSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Keep, Model{IOPS: 1, Latency: time.Hour})
		r, err := l.Reader(memory{bytes.NewReader(make([]byte, 8))}, "memory")
		require.NoError(t, err)
		start := time.Now()
		for range 100 {
			_, err := r.ReadAt(make([]byte, 8), 0)
			require.NoError(t, err)
		}
		assert.Zero(t, time.Since(start))
	})
}

// BenchmarkModel shows how exact the waits are on a real clock.
func BenchmarkModel(b *testing.B) {
	for _, workers := range []int{1, 16} {
		b.Run(fmt.Sprintf("3000IOPS/%dworkers", workers), func(b *testing.B) {
			l := New(Keep, Model{IOPS: 3000})
			l.Slow(true)
			r, err := l.Reader(memory{bytes.NewReader(make([]byte, 8))}, os.DevNull)
			require.NoError(b, err)
			start := time.Now()
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					p := make([]byte, 8)
					for range b.N {
						r.ReadAt(p, 0)
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(workers*b.N)/time.Since(start).Seconds(), "reads/s")
		})
	}
}
