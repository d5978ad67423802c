package overhead

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/measure"
	"getio/measure/metrics"
)

// scrapeEvery is the time between two scrapes: a thirtieth of Prometheus's default.
const scrapeEvery = 500 * time.Millisecond

// BenchmarkMetrics compares the CPU time per Get, of the whole process, of a run that is served
// and scraped, the scraper included, with the time of one that is not, and with the time of one that
// serves slowClients in another process.
func BenchmarkMetrics(b *testing.B) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		b.Run(e.Name(), func(b *testing.B) {
			_, store, gets := costDataset(b, e)
			onCaches(b, 1<<20, func(b *testing.B, cacheBytes int64) {
				scrapes := 0
				// wholeRun includes all that a measurement does beside its Gets.
				wholeRun := func(progress measure.Progress) float64 {
					before := cpu()
					measuredRun(b, store, gets, cacheBytes, measure.Options{Counted: measure.Counted{NoSplit: true}, Progress: progress})
					return float64((cpu() - before).Nanoseconds()) / 1e3 / (costGets + costWarmup)
				}
				compare(b,
					kind{"plain", func() float64 { return wholeRun(nil) }},
					kind{"served", func() (spent float64) {
						run := metrics.NewRun()
						scrapes += whileScraped(b, run, func() { spent = wholeRun(run.Measure) })
						return spent
					}},
					kind{"slow-clients", func() (spent float64) {
						run := metrics.NewRun()
						whileReadSlowly(b, run, func() { spent = wholeRun(run.Measure) })
						return spent
					}})
				b.ReportMetric(float64(scrapes)/costRounds, "scrapes/run")
			})
		})
	}
}

// whileScraped does work while the run is served and scraped, and returns the number of scrapes.
func whileScraped(b *testing.B, run *metrics.Run, work func()) (scrapes int) {
	b.Helper()
	server, err := metrics.Serve("0", run)
	require.NoError(b, err)
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
