package image

import (
	"strings"
	"unicode"

	"gonum.org/v1/plot/vg"
)

// clean makes a text one line that every format can hold: XML forbids most control
// characters, even escaped.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// shortened drops the middle of a text until it fits: names that begin alike often end differently.
func shortened(s string, width vg.Length, of func(string) vg.Length) string {
	if of(s) <= width {
		return s
	}
	runes := []rune(s)
	// Halving finds how many runes can stay.
	stay, tooMany := 0, len(runes)
	for tooMany-stay > 1 {
		if n := (stay + tooMany) / 2; of(without(runes, n)) <= width {
			stay = n
		} else {
			tooMany = n
		}
	}
	return without(runes, stay)
}

// without keeps n runes, half of them at each end.
func without(runes []rune, n int) string {
	return string(runes[:n-n/2]) + "…" + string(runes[len(runes)-n/2:])
}

// wrapped sets sentences as one paragraph in lines of at most the width.
func wrapped(sentences []string, width vg.Length, of func(string) vg.Length) (lines []string) {
	line := ""
	for _, word := range strings.Fields(strings.Join(sentences, " ")) {
		word = shortened(word, width, of)
		switch longer := line + " " + word; {
		case line == "":
			line = word
		case of(longer) <= width:
			line = longer
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
