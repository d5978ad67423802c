package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
)

// progressLine is a line of progress, which a program shows when its work takes long: a
// phase, how much of it is done, and how fast, or that it is under way; or one of the sizes of
// a sweep that is done, or that its Gets are few.
var progressLine = regexp.MustCompile(`(?m)^((:\S|[^:\n])+(: (:\S|[^:\n])+)?: (under way|[0-9]+%(, .*)?|[0-9,]+( of [0-9,]+)? [\w ]*( \([0-9]+%\))?(, .*)?)|cache \d+ of \d+: .*|\d+ Gets are too few to tell .*)\n`)

// withoutProgress is what else is in text. Sentences begin with the program's name.
func withoutProgress(text string) string {
	return progressLine.ReplaceAllStringFunc(text, func(line string) string {
		if strings.HasPrefix(line, "getio: ") {
			return line
		}
		return ""
	})
}

func TestProgressLinesAreKnown(t *testing.T) {
	for _, line := range []string{
		"pebblev2: load: 0 ", "settle: under way", "nomt: settle: under way", "pebblev2: load: 1,500 of 20,000 keys (8%), 1,500/s, 12s to go", "pebblev2: load: 7 reads, 7/s, 1.932 I/Os per Get",
		"a:bytes: existing, opening files: 3,781 of 5,000 lookups (76%), 4,598/s, 0s to go",
		"in all: 50%", "in all: 50%, 12s to go, warm-up, 1.932 I/Os per Get",
	} {
		assert.Empty(t, withoutProgress(line+"\n"), "%q is not known as progress", line)
	}
	for _, line := range []string{
		"getio: option x: 1 is below y, 4: raise it as well", "Error: there is no database in x", "2 of 7 tables are damaged: leave them out", "warning: not steady", "",
	} {
		assert.Equal(t, line+"\n", withoutProgress(line+"\n"), "%q is taken for progress", line)
	}
}

func scriptQuiet(ts *testscript.TestScript, _ bool, args []string) {
	rest, line := withoutProgress(ts.ReadFile("stderr")), ""
	if len(args) > 0 {
		line = args[0] + "\n"
	}
	if !regexp.MustCompile("^" + line + "$").MatchString(rest) {
		ts.Fatalf("standard error has %q, and not only %q", rest, line)
	}
}
