package bench

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/measure"
	"getio/measure/metrics"
	"getio/measure/workload"
)

// scrapeEvery is how often the endpoint is asked: thirty times as often as
// Prometheus asks by default.
const scrapeEvery = 500 * time.Millisecond

// BenchmarkMetrics compares the CPU time per Get, of the whole process, of a run that
// is served and scraped, the scraper's own part included, with that of one that is
// not. Each round makes both, in turn; the ratio is the rounds' median.
func BenchmarkMetrics(b *testing.B) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		b.Run(e.Name(), func(b *testing.B) {
			_, store, gets := costDataset(b, e)
			b.Run("mostly-hits", func(b *testing.B) { compareServed(b, store, gets, 256<<20) })
			b.Run("mostly-misses", func(b *testing.B) { compareServed(b, store, gets, 1<<20) })
		})
	}
}

func compareServed(b *testing.B, store engine.Store, gets workload.Sequence, cacheBytes int64) {
	for b.Loop() {
		var ratios []float64
		scrapes := 0
		for round := range costRounds {
			var plain, served float64
			for turn := range 2 {
				if (round+turn)%2 == 0 {
					plain = watchedRun(b, store, gets, cacheBytes, nil)
					continue
				}
				run := metrics.NewRun()
				scrapes += whileScraped(b, run, func() { served = watchedRun(b, store, gets, cacheBytes, run.Measure) })
			}
			ratios = append(ratios, served/plain)
		}
		b.ReportMetric(median(ratios), "served/plain")
		b.ReportMetric(float64(scrapes)/costRounds, "scrapes/run")
		b.ReportMetric(0, "ns/op")
	}
}

// watchedRun is the CPU time per Get, in microseconds, of all that a measurement
// does.
func watchedRun(b *testing.B, store engine.Store, gets workload.Sequence, cacheBytes int64, progress measure.Progress) float64 {
	b.Helper()
	before := cpu()
	r, err := measure.Measure(context.Background(), store, engine.OpenConfig{CacheBytes: cacheBytes}, gets, measure.Options{
		Gets: costGets, Warmup: measure.WarmupGets(costWarmup), Workers: costWorkers, Keys: costKeys, NoSplit: true, Progress: progress,
	})
	took := cpu() - before
	check(b, err)
	if !r.Checks.Hold() {
		b.Fatalf("checks failed: %v", r.Checks.Failed())
	}
	return float64(took.Nanoseconds()) / 1e3 / (costGets + costWarmup)
}

// whileScraped does work while the run is served and scraped, and tells how often
// it was.
func whileScraped(b *testing.B, run *metrics.Run, work func()) (scrapes int) {
	b.Helper()
	server, err := metrics.Serve("0", run)
	check(b, err)
	defer server.Close()
	ctx, stop := context.WithCancel(context.Background())
	var scraper sync.WaitGroup
	scraper.Go(func() {
		tick := time.NewTicker(scrapeEvery)
		defer tick.Stop()
		for {
			resp, err := http.Get(server.URL())
			if err != nil {
				b.Error(err)
				return
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			scrapes++
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	work()
	stop()
	scraper.Wait()
	return scrapes
}
