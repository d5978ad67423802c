package record

// IOsPerGet is the reads of table files per Get.
type IOsPerGet struct {
	Mean float64 `json:"mean"` // reads of table and blob files per measured Get
	// CI95 is the 95% interval; absent with fewer than two windows. Older records used another formula.
	CI95 *[2]float64 `json:"ci95,omitempty"`
	// Steady says whether the run is steady (method.md); absent with too few Gets to tell.
	Steady *bool `json:"steady,omitempty"`
	// Drift is the change that a line through the last five windows makes over all Gets so far, as a fraction of the
	// mean; negative when falling.
	Drift *float64 `json:"drift,omitempty"`
	// DriftCI95 is the 95% interval of the drift in a run whose number of Gets was not given. Its line is through all
	// windows.
	DriftCI95 *[2]float64 `json:"drift_ci95,omitempty"`
	// DriftGets are the Gets over which such a drift changes the mean.
	DriftGets float64 `json:"drift_gets,omitempty"`
	// EndedBy is what ended such a run: "verdict" (known whether it is steady), "time" (--time) or "limit" (of Gets).
	EndedBy    string    `json:"ended_by,omitempty"`
	WindowGets int64     `json:"window_gets"` // Gets per window, rounded down
	Windows    []float64 `json:"windows"`     // their means, in order
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
