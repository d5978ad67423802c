package units

import (
	"strings"
	"unicode"
)

// OneLine returns a text of unknown origin as a terminal prints it: white space is a single blank,
// and what cannot be printed, such as an escape code, is a sign.
func OneLine(s string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
	return strings.Join(strings.Fields(printable), " ")
}
