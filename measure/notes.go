package measure

import (
	"context"
	"time"

	"getio/tree/readpath"
)

// notes is what is noted of single Gets, beside what is counted of all of them. The
// zero notes are none.
type notes struct {
	attribution *attribution          // nil: not how many reads each makes
	strays      readpath.PerComponent // before them
	latency     bool                  // how long each takes
	pace        *pace                 // nil: each is made as soon as the one before it is
	clock       stopClock
}

// wanted are the notes that the options ask for, of Gets from the next one on.
func (r *run) wanted() *notes {
	n := &notes{attribution: r.attribution, latency: r.opts.Latency || r.opts.Rate > 0}
	if n.attribution != nil {
		n.strays, _ = n.attribution.strays()
	}
	if r.opts.Rate > 0 {
		n.pace = &pace{rate: r.opts.Rate, first: r.next, clock: &n.clock}
	}
	return n
}

// unasked are the notes of Gets that nobody asks about: which reads are theirs, where
// others read too.
func (r *run) unasked() *notes {
	if r.shared == nil {
		return &notes{}
	}
	return &notes{attribution: r.attribution}
}

// workers are those of a phase.
func (n *notes) workers(count int) []*worker {
	workers := make([]*worker, count)
	for i := range workers {
		workers[i] = &worker{}
		if n.latency {
			workers[i].latencies = newLatencies(n.pace != nil)
		}
	}
	return workers
}

// mostPrepared bounds the operations of a batch, each of so many records. At a rate, a
// batch takes a second or so, for those who watch.
func (n *notes) mostPrepared(records int64) int64 {
	most := max(preparedGets/records, 1)
	if n.pace != nil {
		return min(most, n.pace.rate)
	}
	return most
}

// start begins a batch.
func (n *notes) start() {
	if n.pace != nil {
		n.clock.start(n.pace.last)
	} else if n.latency {
		n.clock.start(0)
	}
}

// attend has a worker make Gets of a batch from now on, until it calls leave.
func (n *notes) attend(ctx context.Context, w *worker) (leave func()) {
	if n.pace != nil {
		n.pace.wait(ctx, w.returned)
	}
	if n.attribution != nil {
		return n.attribution.hold(&w.tally)
	}
	return func() {}
}

// now is the time, if the worker's Gets are timed.
func (n *notes) now(w *worker) time.Duration {
	if w.latencies == nil {
		return 0
	}
	return n.clock.now()
}

// note notes the Get that the worker has just made.
func (n *notes) note(w *worker, due, called time.Duration) {
	if w.latencies != nil {
		w.returned = n.clock.now()
		w.latencies.note(due, called, w.returned)
	}
	if n.attribution != nil {
		w.histogram.add(w.tally.nextGet(), 1)
	}
}
