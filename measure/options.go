package measure

import (
	"time"

	"getio/engine"
	"getio/workload"
	"getio/workload/trace"
)

// Options configures a measurement.
type Options struct {
	workload.Workload // all numbers of Gets count its operations
	Counted
	// TotalKeys are those in the database, for a warm-up in percent; 0 if not known.
	TotalKeys int64
	// Until is when the run should end; the zero Time does not bound it, and nothing bounds a run whose number of Gets
	// is given.
	Until time.Time
	// Record, if not nil, receives the operations of the warm-up and the measured run. Writing it is not timed.
	Record   *trace.Writer
	Progress Progress
	Observe  Observer // may be nil
}

// Counted is what a run counts beside reads and accesses. It changes no figure of them.
type Counted struct {
	ExactSplit bool `json:"exact_split,omitempty"` // split index and data accesses by repeating all Gets without a cache
	NoSplit    bool `json:"-"`                     // keep the engine's estimate of the split
	// Distribution records the number of reads of each measured Get, without warm-up and continued runs.
	Distribution bool `json:"distribution,omitempty"`
	// Latency records the duration of each such Get, from when it is due if the workload has a rate.
	Latency bool `json:"latency,omitempty"`
}

// Observer is called with the open database after the warm-up and after the measured Gets,
// while no Get is in progress. Of a run that finds its own length, these are the Gets that are measured in the end.
type Observer interface {
	WarmedUp(engine.DB)
	Measured(db engine.DB, gets int64, took time.Duration)
}
