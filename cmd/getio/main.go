// Command getio tells what one key lookup costs in disk reads in the key-value
// stores under blockchain clients.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes: 0 only if the figures can be believed.
const (
	exitFailed      = 1
	exitInterrupted = 130 // as shells report SIGINT
)

func main() { os.Exit(Main()) }

// Main runs the command that os.Args names and returns its exit code. Under
// the name bench_pebble, the binary is the published tool.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	if filepath.Base(os.Args[0]) == benchName {
		root = benchCommand()
	}
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintf(os.Stderr, "getio: %v\n", interrupted(err))
		return exitInterrupted
	}
	fmt.Fprintf(os.Stderr, "getio: %v\n", err)
	return exitFailed
}

// interrupted words an interruption that says nothing of its own.
func interrupted(err error) error {
	if err == context.Canceled {
		return errors.New("interrupted: nothing was changed, and what had been finished is kept")
	}
	return err
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "getio",
		Short: "What one key lookup costs in disk reads",
		Long: `getio measures I/Os per Get: how many disk reads one random key lookup costs in
the key-value store under a blockchain client, at a given cache size. It counts
exactly, on unmodified libraries, and tells filter, index and data blocks apart.

Sizes are written like 45MiB or 2GB; cache sizes also like 0.2% (of the
database), IP1 or IP2 (its inflection points). A database that getio did not
make is opened read-only and never changed.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(demoCommand(), loadCommand(), inspectCommand(), measureCommand(), sweepCommand(), benchCommand())
	return root
}
