package report

import "getio/quantity"

// textOf is a text that the empty one marks as absent.
func textOf(s string) string {
	if s == "" {
		return quantity.Absent
	}
	return s
}
