package measure

import (
	"fmt"
	"time"

	"getio/engine"
	"getio/workload"
)

// Progress is called at least once per window, while no Get is in progress. It may be nil.
type Progress func(Stage)

// The phases of a run.
const (
	PhaseWarmUp   = "warm-up"
	PhaseMeasure  = "measure"
	PhaseSplit    = "split" // Gets repeated without a cache, to split index and data accesses
	PhaseContinue = "go on" // further runs, after one that was not steady
)

// Stage is the progress of a run: Done of Total Gets of a phase. Total is 0 if unknown.
type Stage struct {
	Phase       string
	Operation   workload.Operation
	Part, Parts int // of a phase repeated up to Parts times, with Part from 1; otherwise 0
	Done, Total int64
	// Share is how much of all runs is done, about; 0 if unknown.
	Share      float64
	IOsPerGet  float64 // of the last window
	CacheBytes int64   // of the measured cache, also in phases without a cache
	// Counts and Took are those of the Done Gets.
	Counts engine.Counts
	Took   time.Duration
	// Activity is the library's background activity; nil if nothing is written.
	Activity *engine.Activity
}

// Name returns the phase, with its part if it has several.
func (s Stage) Name() string {
	if s.Parts == 0 {
		return s.Phase
	}
	return fmt.Sprintf("%s %d of up to %d", s.Phase, s.Part, s.Parts)
}

// Progress returns the parts of a progress line: the share of all runs that is done, in thousandths and without a unit, or,
// where it is unknown, done of total operations of the phase; and the I/Os per operation of the last window.
func (s Stage) Progress() (phase string, done, total uint64, unit, note string) {
	words := s.Operation.Kind.Words()
	note = fmt.Sprintf("%.3f I/Os per %s", s.IOsPerGet, words.One)
	if s.Activity != nil && s.Phase == PhaseMeasure {
		note += fmt.Sprintf(", L0 tables: %d", s.Activity.L0Tables)
	}
	if s.Share > 0 {
		return "in all", uint64(1000 * s.Share), 1000, "", s.Name() + ", " + note
	}
	return s.Name(), uint64(s.Done), uint64(s.Total), words.Many, note
}
