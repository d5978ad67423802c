package readpath

import "slices"

// Check is one self-check of a run. A run with a check that is not OK prints
// no number as good.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Checks are all self-checks of a run.
type Checks []Check

// Hold tells whether the run can be believed: every check is OK.
func (c Checks) Hold() bool { return len(c.Failed()) == 0 }

// Failed are the checks that are not OK.
func (c Checks) Failed() Checks {
	return slices.DeleteFunc(slices.Clone(c), func(check Check) bool { return check.OK })
}
