package adapter

import "time"

// SetEndWithin changes how long a child may take to exit, and returns the former value.
func SetEndWithin(d time.Duration) (before time.Duration) {
	before, endWithin = endWithin, d
	return before
}
