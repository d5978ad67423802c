// Command getio measures, explains and predicts what one key lookup costs in file reads in the
// key-value stores under blockchain clients.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine"
	"getio/engine/engines"
	"getio/engine/readpath"
	"getio/measure/database"
	"getio/record/judge"
	"getio/statedb/stores"
	"getio/system/leftover"
	"getio/system/machine"
)

// Exit codes: 0 only if the figures can be believed.
const (
	exitFailed       = 1
	exitMisused      = 2   // the command line is wrong; nothing was opened
	exitChecksFailed = 3   // a self-check failed
	exitRise         = 4   // of a gate: a figure rose
	exitCannotTell   = 5   // of a gate: whether one rose
	exitInterrupted  = 130 // as shells report SIGINT
)

func main() {
	database.ServeTrials(engines.All())
	stdout := io.Writer(os.Stdout)
	if stdoutClosed() {
		stdout = closedOutput{}
	}
	os.Exit(run(os.Args, os.Stdin, stdout, os.Stderr))
}

type closedOutput struct{}

func (closedOutput) Write([]byte) (int, error) {
	return 0, errors.New("cannot print: standard output is closed; redirect it to a file or to /dev/null")
}

// run runs the command that args name, the program's name first, and returns its exit code.
// Under the name bench_pebble, the program is the published tool.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	if filepath.Base(args[0]) == benchName {
		root = benchCommand()
	}
	root.SetArgs(args[1:])
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	formatHelp(root)
	completeFlags(root, args[1:])
	usage.Mark(root)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	err := runUntil(ctx, root)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, sentence(interrupted(err)))
		return exitInterrupted
	}
	fmt.Fprintln(stderr, sentence(err))
	switch {
	case errors.As(err, new(usage.Error)), errors.As(err, new(*stores.Misnamed)):
		return exitMisused
	case errors.Is(err, readpath.ErrChecksFailed):
		return exitChecksFailed
	case errors.Is(err, judge.ErrRise):
		return exitRise
	case errors.Is(err, judge.ErrCannotTell):
		return exitCannotTell
	}
	return exitFailed
}

// stopWithin is how long an interrupted command may take to end by itself. A
// library that is opening a database, replaying its log, cannot be stopped. Tests allow more:
// their commands wait for processors.
var stopWithin = 1500 * time.Millisecond

// runUntil runs the command. If it does not end soon after an interruption, runUntil removes what the command has
// created for its own use, and abandons it.
func runUntil(ctx context.Context, root *cobra.Command) error {
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(stopWithin):
	}
	any := leftover.Any()
	if any {
		fmt.Fprintln(root.ErrOrStderr(), "getio: removing what was created; press Ctrl-C again to stop at once and leave it")
	}
	// Also if there is nothing yet: the command creates nothing more.
	if err := leftover.Remove(); err != nil || !any {
		return cmp.Or(err, context.Canceled)
	}
	select {
	case err := <-done:
		if errors.Is(err, context.Canceled) { // says what is kept
			return err
		}
		return context.Canceled // it failed because its files were removed
	case <-time.After(stopWithin):
		return context.Canceled
	}
}

// sentence words an error in one line, whatever a library, a record or a file name with
// line breaks and escape codes puts into it.
func sentence(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	return "getio: " + strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, strings.Join(lines, " "))
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "getio",
		Short: "Measure, explain and predict how many reads one key lookup costs",
		Long: `getio measures I/Os per Get: how many reads of table files one key lookup costs in the
key-value store under a blockchain client.

A cache size is a number of bytes (45MiB, 2GB), a share of the database (0.2%), IP1 or IP2.
IP1 and IP2 are the inflection points, the sizes at which the curve of I/Os per Get bends.
A cache of size IP1 has room for all filters and top indexes that Gets use. (A top index is
the upper level of a table's index.) A cache of size IP2 also has room for all index blocks.

Databases that getio did not make are opened read-only and never changed.

Exit codes:

    0    success
    1    failure
    2    wrong command line; nothing was opened
    3    a self-check failed; the figures of that run are not printed
    4    'getio gate' found a rise that is not allowed
    5    'getio gate' could not decide
    130  interrupted`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       versions(),
		Args:          usage.KnownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	progress.QuietVar(root)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"A node, and its database:", []*cobra.Command{doctorCommand(), watchCommand(), adviseCommand(), inspectCommand(), measureCommand(), sweepCommand(), curveCommand()}},
		{"Operations of a client:", []*cobra.Command{chainCommand(), level0Command()}},
		{"Experiments:", []*cobra.Command{demoCommand(), loadCommand(), compareCommand(), predictCommand(), reproduceCommand(), planCommand(), cellCommand(), mergeCommand(), benchCommand()}},
		{"Other stores:", []*cobra.Command{compareStateCommand(), countCommand(), adapterCommand()}},
		{"Results:", []*cobra.Command{reportCommand(), gateCommand()}},
		{groupHelp, []*cobra.Command{versionCommand(), completionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	root.AddCommand(manualCommand())
	addHelpCommand(root)
	return root
}

// groupCommand returns a command that only has commands below it.
func groupCommand(c cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.Args = usage.KnownCommand
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(below...)
	return &c
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of getio and of the libraries in it",
		Args:  usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "getio version %s\n", versions())
			return err
		},
	}
}

// versions are those of this binary, with its commit if it was built in a clone, and of the
// libraries in it.
func versions() string {
	version := machine.Version() + machine.Commit()
	for _, e := range engines.All() {
		version += fmt.Sprintf(", %s %s", e.Name(), e.Version())
		if l, ok := e.(engine.Linked); ok {
			version += fmt.Sprintf(" (%s)", l.Linked())
		}
	}
	return version
}
