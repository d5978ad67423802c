package record

import "getio/engine/readpath"

// Updates are keys that were overwritten while the Gets were measured. Unless stated
// otherwise, figures cover the time from the first update to the last.
type Updates struct {
	// Rate is the wanted number per second; absent means unthrottled.
	Rate    float64 `json:"rate,omitempty"`
	Reached float64 `json:"reached"` // per second
	Writes  int64   `json:"writes"`
	Bytes   int64   `json:"bytes"` // of the keys written and their values
	Seconds float64 `json:"seconds"`
	// Before is I/Os per Get at the end of the warm-up, before any update; absent without one.
	Before             *float64           `json:"ios_per_get_before,omitempty"`
	Flushes            int64              `json:"flushes"` // completed
	Compactions        int64              `json:"compactions"`
	Stalls             Stalls             `json:"stalls"`
	ReadsOfOthers      OtherReads         `json:"reads_of_others"`
	Settling           Settling           `json:"settling"`
	Written            Written            `json:"written"`
	WriteAmplification WriteAmplification `json:"write_amplification"`
	// Windows are the windows of IOsPerGet.
	Windows []UpdateWindow `json:"windows"`
}

// UpdatesBefore returns how many keys were overwritten before the Gets.
func (r *Result) UpdatesBefore() int64 {
	if r.Updates == nil {
		return r.Workload.Updates
	}
	return r.Workload.Updates - r.Updates.Writes
}

// Stalls are times in which writes waited for flushes and compactions.
type Stalls struct {
	Count   int64   `json:"count"`
	Seconds float64 `json:"seconds"`
}

// OtherReads are the reads of tables by compactions and flushes, and by opening tables for them.
type OtherReads struct {
	Reads      int64                     `json:"reads"`
	Bytes      int64                     `json:"bytes"`
	Components map[string]ComponentReads `json:"components"`
}

// ComponentReads are the reads of one component.
type ComponentReads struct {
	Reads int64 `json:"reads"`
	Bytes int64 `json:"bytes"`
}

// NewOtherReads returns reads with their sums.
func NewOtherReads(reads readpath.Reads) OtherReads {
	return OtherReads{Reads: reads.Count.Sum(), Bytes: reads.Bytes.Sum(), Components: ReadsByComponent(reads)}
}

// Settling is the work after the last update until the tree had settled.
type Settling struct {
	Seconds     float64 `json:"seconds"`
	Flushes     int64   `json:"flushes"`
	Compactions int64   `json:"compactions"`
	Reads       int64   `json:"reads"`
	Bytes       int64   `json:"bytes"` // read
}

// Written are the bytes written to files from the first update until the tree had settled.
type Written struct {
	Tables int64 `json:"tables"`
	Logs   int64 `json:"logs"`
	Other  int64 `json:"other"`
}

// WriteAmplification is the bytes written from the first update until the tree had settled,
// per byte of Updates.Bytes.
type WriteAmplification struct {
	Tables  float64 `json:"tables"`
	WithLog float64 `json:"with_log"`
}

// UpdateWindow is one window of Gets, and the state of the tree at its end.
type UpdateWindow struct {
	IOsPerGet   float64 `json:"ios_per_get"`
	Gets        int64   `json:"gets"`
	Seconds     float64 `json:"seconds"` // including the preparation of Gets
	Writes      int64   `json:"writes"`
	L0Tables    int64   `json:"l0_tables"`
	L0Sublevels int64   `json:"l0_sublevels"`
	Running     int64   `json:"under_way"` // flushes and compactions
	Flushes     int64   `json:"flushes"`   // completed
	Compactions int64   `json:"compactions"`
	Stalls      int64   `json:"stalls"`
	OthersReads int64   `json:"reads_of_others"`
	OthersBytes int64   `json:"bytes_of_others"`
}

// ReadsByComponent returns the reads of each component by its name.
func ReadsByComponent(reads readpath.Reads) map[string]ComponentReads {
	parts := map[string]ComponentReads{}
	for _, c := range reads.Count.Components() {
		parts[c.String()] = ComponentReads{Reads: reads.Count[c], Bytes: reads.Bytes[c]}
	}
	return parts
}
