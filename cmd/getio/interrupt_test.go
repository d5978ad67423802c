package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// After Ctrl-C a program may take interruptCost of processor time. On a machine that does nothing
// else it stops within two seconds, by the clock; after interruptLimit it is taken for one
// that never does.
const (
	interruptCost  = 5 * time.Second
	interruptLimit = time.Minute
)

// scriptInterrupts sends Ctrl-C to a program at a moment and holds it to stop
// soon, say what is kept, and leave no half of a result.
func scriptInterrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupts MOMENT REGEXP PROGRAM ARGS...")
	}
	p := start(ts, args[2:])
	await(ts, args[0], p.cmd.Process.Pid, p.ended)
	spent, err := processorTime(p.cmd.Process.Pid)
	ts.Check(err)
	ts.Check(p.cmd.Process.Signal(os.Interrupt))
	sent := time.Now()
	select {
	case err = <-p.ended:
	case <-time.After(interruptLimit):
		ts.Fatalf("still running %v after Ctrl-C", interruptLimit)
	}
	spent = p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime() - spent
	ts.Logf("ended after %v, of the processor %v: %s", time.Since(sent).Round(time.Millisecond), spent.Round(time.Millisecond), strings.TrimSpace(p.stderr.String()))
	if spent > interruptCost {
		ts.Fatalf("it went on for %v of the processor after Ctrl-C", spent)
	}
	requireExit(ts, err, exitInterrupted)
	ts.Check(checkSentence(args[1], p.stderr.String()))
	requireWholeLines(ts, p.stdout.String())
}

// processorTime is what a process has spent so far.
func processorTime(pid int) (time.Duration, error) {
	// The kernel's clock of a process (include/linux/posix-timers.h, CPUCLOCK_SCHED).
	const sched = 2
	var spent unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|sched), &spent)
	return time.Duration(spent.Nano()), err
}

// scriptKills kills a program at a moment.
func scriptKills(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: kills MOMENT PROGRAM ARGS...")
	}
	p := start(ts, args[1:])
	await(ts, args[0], p.cmd.Process.Pid, p.ended)
	ts.Check(p.cmd.Process.Kill())
	<-p.ended
	requireWholeLines(ts, p.stdout.String())
}

// process is a program that runs beside its script.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan error
}

// start starts a program that is to be stopped at a moment. Where others want the
// processors too, the script that awaits the moment comes first.
func start(ts *testscript.TestScript, args []string) *process {
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{cmd: command(ctx, ts, append([]string{"nice"}, args...)), ended: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	ts.Check(p.cmd.Start())
	gone := make(chan struct{})
	go func() {
		p.ended <- p.cmd.Wait()
		close(gone)
	}()
	ts.Defer(func() {
		cancel() // kills it, should it still run
		<-gone
	})
	return p
}

// requireWholeLines accepts whole records, and prose without a figure.
func requireWholeLines(ts *testscript.TestScript, out string) {
	if strings.Contains(out, "I/Os per Get") {
		ts.Fatalf("an interrupted run printed a figure:\n%s", out)
	}
	for _, line := range strings.SplitAfter(out, "\n") {
		if strings.HasPrefix(line, "{") && (!strings.HasSuffix(line, "\n") || !json.Valid([]byte(line))) {
			ts.Fatalf("half a record: %q", line)
		}
	}
}
