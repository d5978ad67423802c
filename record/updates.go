package record

import (
	"getio/engine/readpath"
	"getio/numbers/units"
)

// Updates are keys that were overwritten while the Gets were measured. Unless stated
// otherwise, figures cover the time from the first update to the last.
type Updates struct {
	// Rate is the wanted number per second; absent means unthrottled.
	Rate    float64 `json:"rate,omitempty"`
	Reached float64 `json:"reached"` // updates per second that were made
	Writes  int64   `json:"writes"`  // updates
	Bytes   int64   `json:"bytes"`   // of their keys and values
	Seconds float64 `json:"seconds"` // from the first measured Get to the last
	// Before is the mean of the warm-up's last window, without updates.
	Before      *float64 `json:"ios_per_get_before,omitempty"`
	Flushes     int64    `json:"flushes"`     // completed
	Compactions int64    `json:"compactions"` // completed
	Stalls      Stalls   `json:"stalls"`
	// ReadsOfOthers are reads of tables by compactions and flushes, and by opening tables for them.
	ReadsOfOthers OtherReads `json:"reads_of_others"`
	// Settling is the work after the last update until the tree had settled.
	Settling Settling `json:"settling"`
	// Written are bytes written to files from the first update until the tree had settled.
	Written Written `json:"written"`
	// WriteAmplification is bytes written per byte of keys and values, with all flushes and compactions that the
	// updates caused.
	WriteAmplification WriteAmplification `json:"write_amplification"`
	// Windows are those of the I/Os per Get, in order.
	Windows []UpdateWindow `json:"windows"`
}

// UpdatesBefore returns how many keys were overwritten before the Gets.
func (r *Result) UpdatesBefore() int64 {
	if r.Updates == nil {
		return r.Workload.Updates
	}
	return r.Workload.Updates - r.Updates.Writes
}

// Wanted returns the wanted rate of updates, in words; "" without updates.
func (u *Updates) Wanted() string {
	switch {
	case u == nil:
		return ""
	case u.Rate == 0:
		return "unthrottled updates"
	}
	return units.Comma(int64(u.Rate)) + " updates per second"
}

// Stalls are times in which writes waited for flushes and compactions.
type Stalls struct {
	Count   int64   `json:"count"`   // times that the library made writes wait, or, in LevelDB, slowed them down
	Seconds float64 `json:"seconds"` // their total
}

// OtherReads are the reads of tables by compactions and flushes, and by opening tables for them.
type OtherReads struct {
	Reads      int64                     `json:"reads"`
	Bytes      int64                     `json:"bytes"`
	Components map[string]ComponentReads `json:"components"`
}

// ComponentReads are the reads of one component.
type ComponentReads struct {
	Reads int64 `json:"reads"` // of tables
	Bytes int64 `json:"bytes"` // of these reads
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
	Reads       int64   `json:"reads"` // of tables
	Bytes       int64   `json:"bytes"` // read
}

// Written are the bytes written to files from the first update until the tree had settled.
type Written struct {
	Tables int64 `json:"tables"`
	Logs   int64 `json:"logs"`  // write-ahead log
	Other  int64 `json:"other"` // other files
}

// WriteAmplification is the bytes written from the first update until the tree had settled,
// per byte of Updates.Bytes.
type WriteAmplification struct {
	Tables  float64 `json:"tables"`
	WithLog float64 `json:"with_log"` // tables and log
}

// UpdateWindow is one window of Gets, and the state of the tree at its end.
type UpdateWindow struct {
	IOsPerGet   float64 `json:"ios_per_get"`
	Gets        int64   `json:"gets"`
	Seconds     float64 `json:"seconds"`         // including pauses between batches of Gets, in which updates continue
	Writes      int64   `json:"writes"`          // updates
	L0Tables    int64   `json:"l0_tables"`       // at its end
	L0Sublevels int64   `json:"l0_sublevels"`    // at its end; in LevelDB, each table of L0 is one
	Running     int64   `json:"under_way"`       // flushes and compactions at its end; LevelDB: 1 if a level was due
	Flushes     int64   `json:"flushes"`         // completed
	Compactions int64   `json:"compactions"`     // completed
	Stalls      int64   `json:"stalls"`          // that began in it
	OthersReads int64   `json:"reads_of_others"` // by compactions and flushes
	OthersBytes int64   `json:"bytes_of_others"` // of these reads
}

// ReadsByComponent returns the reads of each component by its name.
func ReadsByComponent(reads readpath.Reads) map[string]ComponentReads {
	parts := map[string]ComponentReads{}
	for _, c := range reads.Count.Components() {
		parts[c.String()] = ComponentReads{Reads: reads.Count[c], Bytes: reads.Bytes[c]}
	}
	return parts
}
