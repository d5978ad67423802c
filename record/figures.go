package record

import "github.com/HdrHistogram/hdrhistogram-go"

// IOsPerGet is the reads of table files per Get.
type IOsPerGet struct {
	Mean float64 `json:"mean"` // reads of table and blob files per measured Get
	// CI95 is the 95% interval; absent with fewer than two windows. Older records used another formula.
	CI95 *[2]float64 `json:"ci95,omitempty"`
	// Steady says whether the run is steady (method.md); absent with too few Gets to tell.
	Steady *bool `json:"steady,omitempty"`
	// Drift is the change that a line through the last five windows makes over all Gets so far, as a fraction of the
	// mean; negative when falling.
	Drift *float64 `json:"drift,omitempty"`
	// DriftCI95 is the 95% interval of the drift in a run whose number of Gets was not given. Its line is through all
	// windows.
	DriftCI95 *[2]float64 `json:"drift_ci95,omitempty"`
	// DriftGets are the Gets over which such a drift changes the mean.
	DriftGets float64 `json:"drift_gets,omitempty"`
	// EndedBy is what ended such a run: "verdict" (known whether it is steady), "time" (--time) or "limit" (of Gets).
	EndedBy    string    `json:"ended_by,omitempty"`
	WindowGets int64     `json:"window_gets"` // Gets per window, rounded down
	Windows    []float64 `json:"windows"`     // their means, in order
}

// What ends a run whose number of Gets was not given.
const (
	EndedByVerdict = "verdict" // its windows told whether it is steady
	EndedByTime    = "time"
	EndedByLimit   = "limit" // the most Gets that it may make
)

// StillFalling reports whether the run is known to be unsteady and falling: with more Gets, the
// mean would be lower.
func (io *IOsPerGet) StillFalling() bool {
	return io.Steady != nil && !*io.Steady && io.Drift != nil && *io.Drift < 0
}

// IsSteady reports whether the run is known to be steady.
func (io *IOsPerGet) IsSteady() bool { return io.Steady != nil && *io.Steady }

// Distribution is the distribution of reads per Get.
type Distribution struct {
	// Histogram is the number of measured Gets by their reads, from 0 reads on.
	Histogram []int64 `json:"histogram"`
	// Percentiles of the reads per Get, by nearest rank, and the most reads of one Get.
	P50  int `json:"p50"`
	P90  int `json:"p90"`
	P99  int `json:"p99"`
	P999 int `json:"p999"`
	Max  int `json:"max"`
	// UnattributedReads are reads that belong to no Get. The check "distribution" compares all reads with these and the histogram's.
	UnattributedReads int64 `json:"unattributed_reads"`
}

// NewDistribution returns the distribution of a histogram whose last figure is not 0.
func NewDistribution(histogram []int64, unattributed int64) *Distribution {
	d := &Distribution{Histogram: histogram, Max: len(histogram) - 1, UnattributedReads: unattributed}
	d.P50, d.P90, d.P99, d.P999 = d.atRank(500), d.atRank(900), d.atRank(990), d.atRank(999)
	return d
}

// atRank returns the number of reads that of1000 of 1,000 Gets did not exceed.
func (d *Distribution) atRank(of1000 int64) int {
	gets := d.Gets()
	rank := gets/1000*of1000 + (gets%1000*of1000+999)/1000
	for reads, n := range d.Histogram {
		if rank -= n; rank <= 0 {
			return reads
		}
	}
	return d.Max
}

// Gets returns the number of Gets.
func (d *Distribution) Gets() (gets int64) {
	for _, n := range d.Histogram {
		gets += n
	}
	return gets
}

// Reads returns the number of reads.
func (d *Distribution) Reads() (reads int64) {
	for each, n := range d.Histogram {
		reads += int64(each) * n
	}
	return reads
}

// AtLeast returns the share of the Gets that made that many reads or more; 0 without Gets.
func (d *Distribution) AtLeast(reads int) float64 {
	var below int64
	for _, n := range d.Histogram[:min(max(reads, 0), len(d.Histogram))] {
		below += n
	}
	gets := d.Gets()
	if gets == 0 {
		return 0
	}
	return float64(gets-below) / float64(gets)
}

// Kinds of latency.
const (
	// LatencyService is the time from the call of a Get to its return.
	LatencyService = "service"
	// LatencyResponse is the time from when a Get was due to its return.
	LatencyResponse = "response"
)

// Latency is the distribution of the time of a Get.
type Latency struct {
	Kind string `json:"kind"` // "service": from a Get's call to its return; "response": from when it was due (--rate)
	Times
	// Rate is how many Gets per second were due (--rate).
	Rate    int64   `json:"rate,omitempty"`
	Reached float64 `json:"reached,omitempty"` // Gets per second that were made
	// Service is the time from call to return of the same Gets.
	Service *Times `json:"service,omitempty"`
}

// Times are in microseconds, to three digits.
type Times struct {
	// Percentiles, maximum and mean, in microseconds, to three digits.
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// NewTimes returns the times of a histogram in nanoseconds.
func NewTimes(h *hdrhistogram.Histogram) Times {
	at := func(percentile float64) float64 { return float64(h.ValueAtPercentile(percentile)) / 1e3 }
	return Times{P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: at(100), Mean: h.Mean() / 1e3}
}
