package record

import "getio/numbers/steady"

// IOsPerGet is the figure that the measurement is for.
type IOsPerGet struct {
	Mean float64     `json:"mean"`
	CI95 *[2]float64 `json:"ci95,omitempty"` // absent with fewer than two windows
	// Steady is absent where too few windows were read to tell.
	Steady *bool `json:"steady,omitempty"`
	// Drift is the change that a line through the last five windows makes over
	// all Gets so far, as a fraction of the mean; negative when still falling.
	Drift      *float64  `json:"drift,omitempty"`
	WindowGets int64     `json:"window_gets"`
	Windows    []float64 `json:"windows"` // means, in order
}

// NewIOsPerGet is what the windows of one run say.
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

// SetSteadiness adds whether the run has come to rest, after so many Gets in all; windows are
// its last ones, of at least minGets Gets each once they are merged to five.
func (io *IOsPerGet) SetSteadiness(windows []steady.Window, minGets, gets int64) {
	if drift, ok := steady.DriftOf(windows, minGets, gets); ok {
		rest := drift.Steady()
		io.Drift, io.Steady = &drift.Relative, &rest
	}
}

// StillFalling tells whether the run is known to have been falling still: with more Gets it
// would have come to less.
func (io *IOsPerGet) StillFalling() bool {
	return io.Steady != nil && !*io.Steady && io.Drift != nil && *io.Drift < 0
}

// IsSteady tells whether the run is known to have come to rest.
func (io *IOsPerGet) IsSteady() bool { return io.Steady != nil && *io.Steady }
