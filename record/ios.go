package record

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

// StillFalling reports whether the run is known to be unsteady and falling: with more Gets, the
// mean would be lower.
func (io *IOsPerGet) StillFalling() bool {
	return io.Steady != nil && !*io.Steady && io.Drift != nil && *io.Drift < 0
}

// IsSteady reports whether the run is known to be steady.
func (io *IOsPerGet) IsSteady() bool { return io.Steady != nil && *io.Steady }
