package measure

import (
	"context"
	"time"

	"getio/engine/readpath"
)

// recorder records the reads and the latency of single Gets, as far as a phase needs them. It
// also paces the Gets. The zero recorder records nothing.
type recorder struct {
	attribution  *attribution          // nil: reads of single Gets are not recorded
	unattributed readpath.PerComponent // reads before the phase
	latency      bool
	pace         *pace // nil: each Get starts as soon as the previous one has returned
	clock        stopClock
}

// workers returns the workers of a phase.
func (rec *recorder) workers(count int) []*worker {
	workers := make([]*worker, count)
	for i := range workers {
		workers[i] = &worker{}
		if rec.latency {
			workers[i].latencies = newLatencies(rec.pace != nil)
		}
	}
	return workers
}

// preparedGets is the maximum number of Gets prepared at a time.
const preparedGets = 100_000

// maxBatch returns the maximum number of operations in a batch, each of the given number of
// records. At a rate, a batch takes at most about a second, so that progress is shown.
func (rec *recorder) maxBatch(records int64) int64 {
	n := max(preparedGets/records, 1)
	if rec.pace != nil {
		return min(n, rec.pace.rate)
	}
	return n
}

// start begins a batch.
func (rec *recorder) start() {
	if rec.pace != nil {
		rec.clock.start(rec.pace.last)
	} else if rec.latency {
		rec.clock.start(0)
	}
}

// attach attributes the reads of the calling goroutine to the worker, until it calls detach.
func (rec *recorder) attach(ctx context.Context, w *worker) (detach func()) {
	if rec.pace != nil {
		rec.pace.wait(ctx, w.returned)
	}
	if rec.attribution != nil {
		return rec.attribution.hold(&w.tally)
	}
	return func() {}
}

// now returns the time if the worker's Gets are timed.
func (rec *recorder) now(w *worker) time.Duration {
	if w.latencies == nil {
		return 0
	}
	return rec.clock.now()
}

// record records the Get that the worker has just made.
func (rec *recorder) record(w *worker, due, called time.Duration) {
	if w.latencies != nil {
		w.returned = rec.clock.now()
		w.latencies.add(due, called, w.returned)
	}
	if rec.attribution != nil {
		w.histogram.add(w.tally.nextGet(), 1)
	}
}
