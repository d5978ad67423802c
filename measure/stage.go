package measure

import (
	"fmt"
	"time"

	"getio/engine"
)

// Progress is told how far a run is. It may be nil. It is called while no Get is
// under way, at least once for every window and never for a Get.
type Progress func(Stage)

// The phases of a run.
const (
	PhaseWarmUp  = "warm-up"
	PhaseMeasure = "measure"
	PhaseSplit   = "split" // Gets made again without a cache, to tell index from data
	PhaseGoOn    = "go on" // further runs of one that was not steady
)

// Stage is how far a run is: Done of Total Gets of a phase. Total is 0 where
// it is not known.
type Stage struct {
	Phase       string
	Operation   Operation // that is made
	Part, Parts int       // of a phase that is made up to Parts times, Part from 1 on; else 0
	Done, Total int64
	IOsPerGet   float64 // of the last window
	CacheBytes  int64   // of the cache that is measured, also in a phase that has none
	// Counts are those of the Done Gets, Took is the time that they took.
	Counts engine.Counts
	Took   time.Duration
	// Activity is what the library does besides; nil where nothing is written.
	Activity *engine.Activity
}

// Name is the phase in words, with its part if it has several.
func (s Stage) Name() string {
	if s.Parts == 0 {
		return s.Phase
	}
	return fmt.Sprintf("%s %d of up to %d", s.Phase, s.Part, s.Parts)
}
