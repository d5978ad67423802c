package readpath

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check is one self-check of a run. If any check fails, the run's numbers are invalid.
type Check struct {
	Name   string `json:"name"`   // of the check
	OK     bool   `json:"ok"`     // if not, no figure of the record counts
	Detail string `json:"detail"` // the two counts
}

// Checks are all self-checks of a run.
type Checks []Check

// Hold reports whether all checks are OK.
func (c Checks) Hold() bool { return len(c.Failed()) == 0 }

// Failed returns the checks that are not OK.
func (c Checks) Failed() Checks {
	return slices.DeleteFunc(slices.Clone(c), func(check Check) bool { return check.OK })
}

// ErrChecksFailed is wrapped by the errors of Checks.Err.
var ErrChecksFailed = errors.New("self-checks failed")

// Err returns an error that names the failed checks, nil if all are OK.
func (c Checks) Err() error {
	if c.Hold() {
		return nil
	}
	var names []string
	for _, check := range c.Failed() {
		if !slices.Contains(names, check.Name) {
			names = append(names, check.Name)
		}
	}
	return fmt.Errorf("%w (%s): no figure of this run can be believed; please report it with the record that --json prints", ErrChecksFailed, strings.Join(names, ", "))
}
