package record

// What the times of a Latency are.
const (
	// LatencyService is from a Get's call to its return.
	LatencyService = "service"
	// LatencyResponse is from when a Get was due to its return.
	LatencyResponse = "response"
)

// Latency is how long Gets took.
type Latency struct {
	Kind string `json:"kind"`
	Times
	// Rate is how many Gets were due a second, and Reached how many there were; absent
	// where Gets were made one after another.
	Rate    int64   `json:"rate,omitempty"`
	Reached float64 `json:"reached,omitempty"`
	// Service is how long the same Gets took from call to return; only with a rate.
	Service *Times `json:"service,omitempty"`
}

// Times are in microseconds, to three digits.
type Times struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}
