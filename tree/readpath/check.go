package readpath

import "slices"

// Check is one self-check of a run. If any check fails, the run's numbers are invalid.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Checks are all self-checks of a run.
type Checks []Check

// Hold reports whether all checks are OK.
func (c Checks) Hold() bool { return len(c.Failed()) == 0 }

// Failed returns the checks that are not OK.
func (c Checks) Failed() Checks {
	return slices.DeleteFunc(slices.Clone(c), func(check Check) bool { return check.OK })
}
