package measure

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/record"
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

// worker makes Gets. During a batch, only its own goroutine uses it.
type worker struct {
	key, value []byte // buffers
	scan       *keysource.Scan
	batch      batch

	records int64 // returned by the phase's operations or, for Gets, looked up
	found   int64 // keys looked up that exist; for a scan, only its first

	// Of the phase, if recorded.
	tally     tally
	histogram histogram
	latencies *latencies // nil: not recorded
	// returned is when its last Get returned, by the recorder's clock.
	returned time.Duration
}

// count counts the records of an operation, or of a part of it, and whether its key exists.
func (w *worker) count(records int, found bool) {
	w.records += int64(records)
	if found {
		w.found++
	}
}

// batch holds keys that are looked up together.
type batch struct {
	first  int64 // number of its first Get
	keys   [][]byte
	wants  []keysource.Want
	order  []int // indexes of the keys, in key order
	sorted [][]byte
}

// draw takes the keys of n Gets.
func (b *batch) draw(gets keysource.Sequence, first int64, n int) {
	if len(b.keys) < n {
		b.keys, b.wants, b.order, b.sorted = make([][]byte, n), make([]keysource.Want, n), make([]int, n), make([][]byte, n)
	}
	b.first = first
	for i := range b.keys {
		b.keys[i], b.wants[i] = gets.Key(first+int64(i), b.keys[i])
		b.order[i] = i
	}
	slices.SortFunc(b.order, func(i, j int) int { return bytes.Compare(b.keys[i], b.keys[j]) })
	for i, k := range b.order {
		b.sorted[i] = b.keys[k]
	}
}

// latencies holds the latencies of Gets.
type latencies struct {
	service  *hdrhistogram.Histogram // from the call
	response *hdrhistogram.Histogram // from when the Get was due; nil without a rate
}

// Latencies are kept in nanoseconds, to three digits. The longest is 19 hours.
const (
	latencyDigits  = 3
	longestLatency = 1 << 46
)

func newLatencies(response bool) *latencies {
	l := &latencies{service: hdrhistogram.New(1, longestLatency, latencyDigits)}
	if response {
		l.response = hdrhistogram.New(1, longestLatency, latencyDigits)
	}
	return l
}

// add adds a Get that was due, called and returned at the given times.
func (l *latencies) add(due, called, returned time.Duration) {
	recordTime(l.service, returned-called)
	if l.response != nil {
		recordTime(l.response, returned-due)
	}
}

func recordTime(h *hdrhistogram.Histogram, took time.Duration) {
	h.RecordValue(min(max(int64(took), 0), longestLatency)) // never out of range
}

// merge adds the latencies of other Gets.
func (l *latencies) merge(other *latencies) {
	l.service.Merge(other.service)
	if l.response != nil {
		l.response.Merge(other.response)
	}
}

// mostUnattributed is the share of all reads that may remain unattributed.
const mostUnattributed = 0.001

// histogram holds at index n the number of Gets that made n reads.
type histogram []int64

// add adds Gets that made the given number of reads each.
func (h *histogram) add(reads int, gets int64) {
	for reads >= len(*h) {
		*h = append(*h, 0)
	}
	(*h)[reads] += gets
}

// checkDistribution compares the reads attributed to single Gets with all reads of files.
func checkDistribution(d *record.Distribution, gets int64, run engine.Counts) readpath.Check {
	reads := run.Reads.Count.Sum()
	return readpath.Check{
		Name: "distribution",
		OK: d.Gets() == gets && d.Reads()+d.UnattributedReads == reads &&
			float64(d.UnattributedReads) <= mostUnattributed*float64(reads),
		Detail: fmt.Sprintf("%d Gets of %d with %d reads, %d unattributed, of %d reads of files",
			d.Gets(), gets, d.Reads(), d.UnattributedReads, reads),
	}
}

// unreached is the share of the rate by which a run may fall short of it without a warning.
const unreached = 0.01
