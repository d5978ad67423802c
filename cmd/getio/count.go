package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/record"
	"getio/report"
	"getio/statedb/counter"
)

type countFlags struct {
	command counter.Command
	json    bool
}

func countCommand() *cobra.Command {
	var f countFlags
	c := &cobra.Command{
		Use:   "count [flags] -- COMMAND ARGS",
		Short: "Count the disk reads of any program",
		Long: `count runs any command on a temporary disk and counts the reads that reach the disk, however
the program makes them. The command starts in an empty directory on that disk, or in a
copy of the directory that --copy names.

count needs root and mkfs.ext4. It removes the disk at the end.`,
		Example: `  getio count --copy /var/lib/store -- /opt/lookups --db . --keys 10000
  getio count --copy data/10m/db --memory 1GiB -- sh -c 'cat *.sst | wc -c'`,
		Args: usage.Some("count needs a command behind --: see '%s --help'"), ValidArgsFunction: anyFile,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flagvalue.Dir(flags, &f.command.Copy, "copy", "", "copy this directory to the disk")
	flagvalue.Size(flags, &f.command.Place.Bytes, "size", "", "size of the disk (default: enough for what is copied)")
	flagvalue.TempDir(flags, &f.command.Place.ImageIn, "disk", "directory for the disk's image")
	flagvalue.Size(flags, &f.command.MemoryBytes, "memory", "", "limit of the command's memory and page cache")
	flags.BoolVar(&f.json, "json", false, "print a record; COMMAND's output goes to standard error")
	return c
}

// counterState is where private disks are noted; empty is where all of a machine are. Tests
// that kill some have one of their own, so that no other start takes back what they left.
var counterState string

func (f *countFlags) run(c *cobra.Command, args []string) (err error) {
	if err := f.command.Check(); err != nil {
		return usage.Wrap(err)
	}
	if f.command.Cmd, err = ownCommand(args); err != nil {
		return err
	}
	cmd := &f.command
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
	if f.json {
		cmd.Stdout = c.ErrOrStderr()
	}
	m := progress.Meter(c)
	cmd.Place.State = counterState
	cmd.Copied = func(done, total int64) {
		m.Show("copy", uint64(done)>>20, uint64(total)>>20, "MiB", "")
		if done == total {
			m.Finish()
		}
	}
	r, err := cmd.Measure(c.Context())
	m.Finish()
	if errors.Is(err, context.Canceled) {
		return stopped("the command was ended, and its disk is removed")
	}
	if err != nil {
		return err
	}
	if f.json {
		return errors.Join(record.WriteLine(c.OutOrStdout(), r), r.Checks.Err())
	}
	if err := r.Checks.Err(); err != nil {
		return err
	}
	return report.ExternalCount(c.OutOrStdout(), r)
}

// ownCommand is the user's command. It starts elsewhere, and is looked for here.
func ownCommand(args []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(args[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot run %s (%w): name a program behind --", args[0], err)
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Args[0] = args[0]
	return cmd, nil
}
