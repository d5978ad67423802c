package watch

import (
	"cmp"
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
)

// rounds is how often a program is timed alone and watched, in turn.
const rounds = 7

// BenchmarkWatch compares the processor time per Get of a program that is watched with that of the
// same program alone, and the time per Get. What the watching process itself takes is reported as a
// share of a processor. The program that polls has one thread, so that
// it does not compete with the watching process for two processors.
func BenchmarkWatch(b *testing.B) {
	if err := probetest.Rights(); err != nil {
		b.Skip(err)
	}
	for _, row := range []struct {
		name    string
		config  probetest.Config
		run     Run
		lasting time.Duration
	}{
		{"hits", probetest.Config{Cache: 64 << 20}, Run{}, time.Second},
		{"hits, duty 10%", probetest.Config{Cache: 64 << 20}, Run{Duty: 0.1}, 10 * time.Second},
		{"device reads", probetest.Config{Cache: 3 << 20, Direct: true}, Run{}, 3 * time.Second},
		{"reads of 100 us", probetest.Config{Cache: 3 << 20, ReadLatency: 100 * time.Microsecond}, Run{}, 3 * time.Second},
		{"reads of 100 us, polled", probetest.Config{Cache: 3 << 20, ReadLatency: 100 * time.Microsecond, Polled: true, Workers: 1}, Run{}, 3 * time.Second},
		{"10,000 Gets per s", probetest.Config{Cache: 64 << 20, Rate: 10_000}, Run{}, time.Second},
	} {
		b.Run(row.name, func(b *testing.B) {
			row.config.Library, row.config.Dirs = "pebblev2", []string{b.TempDir()}
			row.config.Keys, row.config.Endless = 400_000, true
			row.config.Workers = cmp.Or(row.config.Workers, 2)
			p := probetest.Start(b, "", row.config)
			w, err := Open(b.Context(), p.PID, Options{})
			require.NoError(b, err)
			defer w.Close()
			p.Go(b)
			time.Sleep(row.lasting) // the cache warms up
			var ratios, times, more, own, alones, reads []float64
			for range rounds {
				alone := spend(b, p, row.lasting)
				before := ownTime(b)
				watched, seen := watchedSpend(b, w, p, row.run, row.lasting)
				reads = append(reads, seen)
				own = append(own, 100*(ownTime(b)-before).Seconds()/row.lasting.Seconds())
				alones = append(alones, alone.perGet)
				ratios = append(ratios, watched.perGet/alone.perGet)
				times = append(times, alone.rate/watched.rate)
				more = append(more, 100*(watched.share-alone.share))
			}
			b.ReportMetric(median(alones), "us/Get-alone")
			b.ReportMetric(median(reads), "reads/Get")
			b.ReportMetric(median(ratios), "of-alone")
			b.ReportMetric(median(times), "time-of-alone")
			b.ReportMetric(median(more), "%core-more")
			b.ReportMetric(median(own), "%core-watcher")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// spent is the processor time of a program per Get, in us, and as a share of a processor, and its
// Gets per second.
type spent struct{ perGet, share, rate float64 }

func spend(b *testing.B, p *probetest.Program, lasting time.Duration) spent {
	gets, cpu := p.Spent(b)
	began := time.Now()
	time.Sleep(lasting)
	getsThen, cpuThen := p.Spent(b)
	took, made := (cpuThen - cpu).Seconds(), float64(getsThen-gets)
	return spent{1e6 * took / made, took / lasting.Seconds(), made / time.Since(began).Seconds()}
}

// watchedSpend is spend of a program that is watched, with the reads per Get that were seen until then.
func watchedSpend(b *testing.B, w *Watch, p *probetest.Program, r Run, lasting time.Duration) (s spent, readsPerGet float64) {
	ctx, stop := context.WithCancel(b.Context())
	counting, ended := make(chan struct{}, 100), make(chan error, 1)
	r.Counting = func() { counting <- struct{}{} }
	go func() {
		seen, err := w.Run(ctx, r)
		if err == nil {
			readsPerGet = seen.Databases[0].IOsPerGet.Mean
		}
		ended <- err
	}()
	<-counting
	s = spend(b, p, lasting)
	stop()
	require.NoError(b, <-ended)
	return s, readsPerGet
}

func ownTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
