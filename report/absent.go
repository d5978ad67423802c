package report

import (
	"slices"

	"getio/numbers/units"
)

// orAbsent returns the text, or the sign of an absent figure for "".
func orAbsent(s string) string {
	if s == "" {
		return units.Absent
	}
	return s
}

// figure writes a figure, or the sign of an absent one for nil.
func figure(v *float64, write func(float64) string) string {
	if v == nil {
		return units.Absent
	}
	return write(*v)
}

// absent returns n cells without a figure.
func absent(n int) []string { return slices.Repeat([]string{units.Absent}, n) }
