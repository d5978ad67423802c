// Package terminaltest emulates a terminal for tests.
package terminaltest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// screen is what a terminal shows after it was written to: the control sequences
// that getio uses, and no others, on lines as long as they need be.
type screen struct {
	lines    [][]rune
	row, col int
}

var controlSequence = regexp.MustCompile(`^\x1b\[(\d*)([A-Za-z])`)

// Shown returns the text that a terminal shows after it was written to, without blanks at the
// ends of its lines. It fails the test at control sequences that getio does not use.
func Shown(t *testing.T, written string) string {
	t.Helper()
	s := screen{lines: make([][]rune, 1)}
	for written != "" {
		if m := controlSequence.FindStringSubmatch(written); m != nil {
			s.control(t, m[1], m[2])
			written = written[len(m[0]):]
			continue
		}
		r := []rune(written[:min(len(written), 4)])[0]
		s.write(r)
		written = written[len(string(r)):]
	}
	var text strings.Builder
	for _, line := range s.lines {
		text.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return text.String()
}

func (s *screen) control(t *testing.T, n, command string) {
	t.Helper()
	switch rows, _ := strconv.Atoi(n); {
	case command == "A" && rows > 0 && rows <= s.row: // up
		s.row -= rows
	case command == "J" && n == "": // clear from the cursor on
		s.lines = s.lines[:s.row+1]
		s.lines[s.row] = s.lines[s.row][:s.col]
	default:
		t.Fatalf("in row %d: control sequence ESC [ %s %s", s.row, n, command)
	}
}

func (s *screen) write(r rune) {
	switch r {
	case '\r':
		s.col = 0
		return
	case '\n':
		s.row, s.col = s.row+1, 0
		if s.row == len(s.lines) {
			s.lines = append(s.lines, nil)
		}
		return
	}
	line := s.lines[s.row]
	for len(line) <= s.col {
		line = append(line, ' ')
	}
	line[s.col] = r
	s.lines[s.row] = line
	s.col++
}
