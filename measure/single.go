package measure

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"getio/engine"
	"getio/engine/readpath"
	"getio/record"
)

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

// unreached is the share of the rate by which a run may fall short of it without a warning.
const unreached = 0.01

// describeLatency sets the latency of a result, and warns if the rate was not reached.
func (r *run) describeLatency(result *record.Result) {
	if !r.phase.recorder.latency {
		return
	}
	all := newLatencies(r.phase.recorder.pace != nil)
	for _, w := range r.phase.workers {
		all.merge(w.latencies)
	}
	service := record.NewTimes(all.service)
	p := r.phase.recorder.pace
	if p == nil {
		result.Latency = &record.Latency{Kind: record.LatencyService, Times: service}
		return
	}
	result.Latency = &record.Latency{
		Kind: record.LatencyResponse, Times: record.NewTimes(all.response),
		Rate: p.rate, Reached: p.reached(), Service: &service,
	}
	if p.reached() < (1-unreached)*float64(p.rate) {
		result.Warnings = append(result.Warnings, fmt.Sprintf(
			"only %.0f of %d Gets per second were reached, so Gets queued up, and response times grow with the length of the run: choose a lower --rate, or more --workers",
			p.reached(), p.rate))
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

// distribution returns the distribution of reads per Get in the phase, or nil if not recorded.
func (r *run) distribution() *record.Distribution {
	if !r.plan.Distribution {
		return nil
	}
	var all histogram
	for _, w := range r.phase.workers {
		for reads, gets := range w.histogram {
			all.add(reads, gets)
		}
	}
	now, _ := r.attribution.unattributed()
	return record.NewDistribution(all, now.Sub(r.phase.recorder.unattributed).Sum())
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
