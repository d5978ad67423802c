package report

import "getio/numbers/units"

// orAbsent returns the text, or the sign of an absent figure for "".
func orAbsent(s string) string {
	if s == "" {
		return units.Absent
	}
	return s
}
