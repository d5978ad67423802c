package record

import "github.com/HdrHistogram/hdrhistogram-go"

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
