package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"getio/record"
	"getio/report"
)

// legend is the last line of a curve.
const legend = "I/Os per Get by cache size"

// points are results of so many cache sizes.
func points(n int) (results []*record.Result) {
	for i := range n {
		results = append(results, &record.Result{
			Cache:     record.Cache{Bytes: 1 << (20 + i), FractionOfDB: 0.001},
			IOsPerGet: record.IOsPerGet{Mean: 3 - float64(i)/2, Windows: []float64{1}},
			Workload:  record.Workload{Gets: 1},
		})
	}
	return results
}

// TestCurveIsDrawnInItsPlace: above it are the lines of all sizes, below it the
// progress of the next one, and nothing else is left of what was drawn before.
func TestCurveIsDrawnInItsPlace(t *testing.T) {
	var out bytes.Buffer
	g := &growing{out: &out, room: func() (int, int) { return 100, 24 }}
	m := &meter{out: &out, terminal: true, began: time.Now().Add(-time.Hour)}
	for n := 1; n <= 3; n++ {
		m.show(fmt.Sprintf("cache %d of 3", n), 10, 100, "Gets", "")
		m.finish()
		g.add(fmt.Sprintf("line %d", n), points(n))
	}
	m.show("the next", 10, 100, "Gets", "")
	text := strings.TrimRight(shown(t, out.String()), "\n")
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(text, "line 1\nline 2\nline 3\n") || strings.Count(text, legend) != 1 || strings.Count(text, "o") < 3 {
		t.Errorf("three lines and one curve are to be there:\n%s", text)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "the next") || !strings.HasPrefix(lines[len(lines)-2], legend) {
		t.Errorf("the progress is to stand below the curve:\n%s", text)
	}
	m.finish()
	g.erase()
	if text := shown(t, out.String()); strings.TrimRight(text, "\n") != "line 1\nline 2\nline 3" {
		t.Errorf("only the lines are to stay:\n%s", text)
	}
}

// TestCurveNeedsRoom: on a terminal that is or becomes too small there are lines
// only, and nothing that stands there is written over.
func TestCurveNeedsRoom(t *testing.T) {
	for _, small := range [][2]int{{99, 24}, {100, 12}, {0, 0}} {
		var out bytes.Buffer
		room := [2]int{100, 24}
		g := &growing{out: &out, room: func() (int, int) { return room[0], room[1] }}
		g.add("line 1", points(2))
		before := out.String()
		room = small
		g.add("line 2", points(2))
		g.erase()
		if got := strings.TrimPrefix(out.String(), before); got != "line 2\n" {
			t.Errorf("in %d columns and %d rows %q was written", small[0], small[1], got)
		}
	}
}

// escapes are sequences that move a cursor or set a colour; colours are the latter.
var (
	escapes = regexp.MustCompile(`\x1b`)
	colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// TestSweepOnTerminal makes a sweep on a pseudo-terminal.
func TestSweepOnTerminal(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	dir, err := sharedDataset("pebblev1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name             string
		env              []string
		columns          uint16
		stdoutToo, draws bool
	}{
		{name: "xterm", env: []string{"TERM=xterm-256color"}, columns: 110, draws: true},
		{name: "both", env: []string{"TERM=xterm-256color"}, columns: 110, stdoutToo: true, draws: true},
		{name: "no colour", env: []string{"TERM=xterm-256color", "NO_COLOR=1"}, columns: 110, draws: true},
		{name: "dumb", env: []string{"TERM=dumb"}, columns: 110},
		{name: "narrow", env: []string{"TERM=xterm-256color"}, columns: 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, terminal := sweepOnTerminal(t, dir, c.env, c.columns, c.stdoutToo)
			if escapes.MatchString(stdout) {
				t.Errorf("escape codes on standard output: %q", stdout)
			}
			if got := escapes.MatchString(terminal); got != c.draws {
				t.Errorf("escape codes on the terminal: %v, want %v: %q", got, c.draws, terminal)
			}
			if colours.MatchString(terminal) {
				t.Errorf("colours on the terminal: %q", terminal)
			}
			text := shown(t, terminal)
			if n := strings.Count(text, " I/Os per Get, "); n != 3 {
				t.Errorf("%d lines of finished sizes, want 3:\n%s", n, text)
			}
			curves := 0
			if c.draws || c.stdoutToo {
				curves = 1 // the last one, or that on standard output in its place
			}
			if n := strings.Count(text, legend); n != curves {
				t.Errorf("%d curves, want %d:\n%s", n, curves, text)
			}
			for _, line := range strings.Split(text, "\n") {
				if len([]rune(line)) > report.Width {
					t.Errorf("more than %d columns: %q", report.Width, line)
				}
			}
		})
	}
}

// sweepOnTerminal returns what a sweep of three sizes writes to standard output, a
// pipe unless it is the terminal too, and to the terminal.
func sweepOnTerminal(t *testing.T, dir string, env []string, columns uint16, stdoutToo bool) (stdout, terminal string) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	if err := pty.Setsize(ours, &pty.Winsize{Cols: columns, Rows: 40}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "getio", "sweep", dir, "--cache", "1MiB,2MiB,3MiB", "--gets", "20k", "--warmup", "1k", "--out", t.TempDir()+"/s.jsonl")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, theirs
	if stdoutToo {
		cmd.Stdout = theirs
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	var written bytes.Buffer
	written.ReadFrom(ours) // until nobody has the terminal open, which is an error
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, written.String())
	}
	return out.String(), written.String()
}
