package record

import (
	"math"

	"getio/numbers/steady"
)

// IOsPerGet is the reads of table files per Get.
type IOsPerGet struct {
	Mean float64     `json:"mean"`
	CI95 *[2]float64 `json:"ci95,omitempty"` // absent with fewer than two windows
	// Steady is absent if there were too few windows to judge.
	Steady *bool `json:"steady,omitempty"`
	// Drift is the change that a line through the last five windows makes over
	// all Gets so far, as a fraction of the mean; negative when still falling.
	Drift *float64 `json:"drift,omitempty"`
	// DriftCI95 is the 95% interval of Drift in a run whose number of Gets was not given. Its drift
	// is that of a line through all windows, over DriftGets Gets (absent in older records).
	DriftCI95 *[2]float64 `json:"drift_ci95,omitempty"`
	DriftGets float64     `json:"drift_gets,omitempty"`
	// EndedBy is what ended such a run.
	EndedBy    string    `json:"ended_by,omitempty"`
	WindowGets int64     `json:"window_gets"`
	Windows    []float64 `json:"windows"` // means, in order
}

// What ends a run whose number of Gets was not given.
const (
	EndedByVerdict = "verdict" // its windows told whether it is steady
	EndedByTime    = "time"
	EndedByLimit   = "limit" // the most Gets that it may make
)

// NewIOsPerGet returns the mean and interval of the windows of a run.
func NewIOsPerGet(windows []steady.Window) IOsPerGet {
	all := steady.Total(windows)
	io := IOsPerGet{Mean: all.Mean(), WindowGets: all.Gets / int64(len(windows))}
	for _, w := range windows {
		io.Windows = append(io.Windows, w.Mean())
	}
	if lo, hi, ok := steady.Confidence(windows); ok {
		io.CI95 = &[2]float64{lo, hi}
	}
	return io
}

// Counted returns the windows of a run of so many Gets, which are as equal as can be: the first i of n have i/n of all,
// rounded down. It returns none if there are fewer Gets than windows.
func (io *IOsPerGet) Counted(gets int64) (windows []steady.Window) {
	n := int64(len(io.Windows))
	if gets < n {
		return nil
	}
	each, rest := int64(0), int64(0)
	if n > 0 {
		each, rest = gets/n, gets%n
	}
	for i, mean := range io.Windows {
		more := int64(i+1)*rest/n - int64(i)*rest/n
		windows = append(windows, steady.Window{Gets: each + more, Reads: math.Round(mean * float64(each+more))})
	}
	return windows
}

// SetSteadiness sets whether the run is steady after gets Gets in all. windows are its last
// ones; merged to five, each has at least minGets Gets.
func (io *IOsPerGet) SetSteadiness(windows []steady.Window, minGets, gets int64) {
	if drift, ok := steady.DriftOf(windows, minGets, gets); ok {
		isSteady := drift.Steady()
		io.Drift, io.Steady = &drift.Relative, &isSteady
	}
}

// StillFalling reports whether the run is known to be unsteady and falling: with more Gets, the
// mean would be lower.
func (io *IOsPerGet) StillFalling() bool {
	return io.Steady != nil && !*io.Steady && io.Drift != nil && *io.Drift < 0
}

// IsSteady reports whether the run is known to be steady.
func (io *IOsPerGet) IsSteady() bool { return io.Steady != nil && *io.Steady }
