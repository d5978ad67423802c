package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
)

// refusalLimit is how long a program may take to refuse something.
const refusalLimit = 5 * time.Minute

// scriptRefuses runs a program that must end with one sentence on standard
// error, print nothing on standard output and leave everything as it was.
func scriptRefuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refuses REGEXP PROGRAM ARGS...")
	}
	before, err := fingerprint(ts.MkAbs("."), false)
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), refusalLimit)
	defer cancel()
	cmd := command(ctx, ts, args[1:])
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	if ctx.Err() != nil {
		ts.Fatalf("still running after %v: %s", refusalLimit, errOut.String())
	}
	ts.Logf("%s", strings.TrimSpace(errOut.String()))
	switch code := exitCode(ts, err); {
	case strings.Contains(errOut.String(), readpath.ErrChecksFailed.Error()) != (code == exitChecksFailed):
		ts.Fatalf("exit code %d", code)
	case code != exitFailed && code != exitMisused && code != exitChecksFailed:
		ts.Fatalf("exit code %d, want that of a refusal", code)
	}
	if out.Len() > 0 {
		ts.Fatalf("it printed a result:\n%s", out.String())
	}
	ts.Check(checkSentence(args[0], errOut.String()))
	after, err := fingerprint(ts.MkAbs("."), false)
	ts.Check(err)
	if d := firstDifference(before, after); d != "" {
		ts.Fatalf("it changed something: %s", d)
	}
}

// command runs in the script's directory.
func command(ctx context.Context, ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), stateEnv+"="+ts.Getenv(stateEnv))
	return cmd
}

func requireExit(ts *testscript.TestScript, err error, code int) {
	if got := exitCode(ts, err); got != code {
		ts.Fatalf("exit code %d, want %d", got, code)
	}
}

func exitCode(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("it did not run: %v", err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

// checkSentence checks that text, but for lines of progress, is one line that begins with
// the program's name, matches the pattern and shows nothing of the program's inside.
func checkSentence(pattern, text string) error {
	line, rest, ended := strings.Cut(withoutProgress(text), "\n")
	switch {
	case !ended || rest != "":
		return fmt.Errorf("not one line: %q", text)
	case !strings.HasPrefix(line, "getio: "):
		return fmt.Errorf("without the program's name in front: %q", line)
	case !regexp.MustCompile(pattern).MatchString(line):
		return fmt.Errorf("%q does not match %q", line, pattern)
	}
	if inside := insides.FindString(line); inside != "" {
		return fmt.Errorf("it speaks of the program's inside (%q): %q", inside, line)
	}
	return nil
}

// insides are words of Go that no user should have to read.
var insides = regexp.MustCompile(`goroutine|panic|runtime error|strconv\.|0xc000|nil pointer|%!|context canceled|signal received|<nil>|EOF`)

// TestRefusals runs commands that need no file, in an empty directory: each ends with one
// sentence, prints no result and leaves nothing behind.
func TestRefusals(t *testing.T) {
	golden, err := filepath.Abs("testdata/refusals")
	require.NoError(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	datadriven.RunTest(t, golden, func(t *testing.T, d *datadriven.TestData) string {
		var all strings.Builder
		for line := range strings.Lines(d.Input) {
			line = strings.TrimSpace(line)
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "''", "")
			}
			var out, errOut bytes.Buffer
			code := run(args, strings.NewReader(""), &out, &errOut)
			if code == 0 || out.Len() > 0 {
				t.Errorf("%s: exit code %d, output %q", line, code, out.String())
			}
			assert.NoError(t, checkSentence("", errOut.String()), line)
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%s left %v, %v", line, left, err)
			}
			fmt.Fprintf(&all, "%s\n\t%d: %s", line, code, strings.TrimPrefix(errOut.String(), "getio: "))
		}
		return all.String()
	})
}
