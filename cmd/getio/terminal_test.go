package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/terminaltest"
	"getio/report"
)

// legend is the last line of a curve.
const legend = "I/Os per Get by cache size"

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
	require.NoError(t, err)
	for _, c := range []struct {
		name             string
		env              []string
		columns          uint16
		stdoutToo, draws bool
	}{
		{name: "xterm", env: []string{"TERM=xterm-256color"}, columns: report.Width, draws: true},
		{name: "both", env: []string{"TERM=xterm-256color"}, columns: report.Width, stdoutToo: true, draws: true},
		{name: "no colour", env: []string{"TERM=xterm-256color", "NO_COLOR=1"}, columns: report.Width, draws: true},
		{name: "dumb", env: []string{"TERM=dumb"}, columns: report.Width},
		{name: "narrow", env: []string{"TERM=xterm-256color"}, columns: report.Width - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, terminal := sweepOnTerminal(t, dir, c.env, c.columns, c.stdoutToo)
			assert.False(t, escapes.MatchString(stdout), "escape codes on standard output: %q", stdout)
			assert.Equal(t, c.draws, escapes.MatchString(terminal), "escape codes on the terminal: %q", terminal)
			assert.False(t, colours.MatchString(terminal), "colours on the terminal: %q", terminal)
			text := terminaltest.Shown(t, terminal)
			assert.Equal(t, 3, strings.Count(text, " I/Os per Get, "), text)
			curves := 0
			if c.draws || c.stdoutToo {
				curves = 1 // the last one, or that on standard output in its place
			}
			assert.Equal(t, curves, strings.Count(text, legend), text)
			for _, line := range strings.Split(text, "\n") {
				assert.LessOrEqual(t, len([]rune(line)), report.Width, "more than %d columns: %q", report.Width, line)
			}
		})
	}
}

// sweepOnTerminal returns what a sweep of three sizes writes to standard output, a
// pipe unless it is the terminal too, and to the terminal.
func sweepOnTerminal(t *testing.T, dir string, env []string, columns uint16, stdoutToo bool) (stdout, terminal string) {
	t.Helper()
	ours, theirs, err := pty.Open()
	require.NoError(t, err)
	defer ours.Close()
	require.NoError(t, pty.Setsize(ours, &pty.Winsize{Cols: columns, Rows: 40}))
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "getio", "sweep", dir, "--cache", "1MiB,2MiB,3MiB", "--gets", "4k", "--warmup", "1k", "--out", "s.jsonl")
	cmd.Dir = t.TempDir() // its path may be longer than a line
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, theirs
	if stdoutToo {
		cmd.Stdout = theirs
	}
	require.NoError(t, cmd.Start())
	theirs.Close()
	var written bytes.Buffer
	written.ReadFrom(ours) // until nobody has the terminal open, which is an error
	require.NoError(t, cmd.Wait(), written.String())
	return out.String(), written.String()
}
