package report

import "getio/numbers/units"

// textOf is a text that the empty one marks as absent.
func textOf(s string) string {
	if s == "" {
		return units.Absent
	}
	return s
}
