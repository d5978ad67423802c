package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
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
	requireExit(ts, err, exitFailed)
	if out.Len() > 0 {
		ts.Fatalf("it printed a result:\n%s", out.String())
	}
	requireSentence(ts, args[0], errOut.String())
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
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("it did not run: %v", err)
	}
	got := 0
	if exit != nil {
		got = exit.ExitCode()
	}
	if got != code {
		ts.Fatalf("exit code %d, want %d", got, code)
	}
}

// requireSentence holds standard error, but for lines of progress, to one line
// that begins with the program's name, matches, and shows nothing of the
// program's inside.
func requireSentence(ts *testscript.TestScript, pattern, text string) {
	line, rest, ended := strings.Cut(withoutProgress(text), "\n")
	switch {
	case !ended || rest != "":
		ts.Fatalf("not one line: %q", text)
	case !strings.HasPrefix(line, "getio: "):
		ts.Fatalf("without the program's name in front: %q", line)
	case !regexp.MustCompile(pattern).MatchString(line):
		ts.Fatalf("%q does not match %q", line, pattern)
	}
	if inside := insides.FindString(line); inside != "" {
		ts.Fatalf("it speaks of the program's inside (%q): %q", inside, line)
	}
}

// insides are words of Go that no user should have to read.
var insides = regexp.MustCompile(`goroutine|panic|runtime error|strconv\.|0xc000|nil pointer|%!|context canceled|signal received|<nil>|EOF`)
