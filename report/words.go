package report

// textOf is a text that the empty one marks as absent.
func textOf(s string) string {
	if s == "" {
		return absent
	}
	return s
}

// plural counts things: 1 key, 2 keys. A plural that does not end in s is
// given.
func plural(n int64, thing string, things ...string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case len(things) > 0:
		return comma(n) + " " + things[0]
	}
	return comma(n) + " " + thing + "s"
}
