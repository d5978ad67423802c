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
