package report

import "getio/numbers/units"

// orAbsent is a text that the empty one marks as absent.
func orAbsent(s string) string {
	if s == "" {
		return units.Absent
	}
	return s
}
