package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/outside/counter"
	"getio/record"
	"getio/report"
	"getio/system/filelock"
	"getio/tree/readpath"
)

type countFlags struct {
	copy   string
	size   int64 // 0: by what is copied
	disk   string
	memory int64 // 0: unlimited
	json   bool
}

func countCommand() *cobra.Command {
	var f countFlags
	c := &cobra.Command{
		Use:   "count [flags] -- COMMAND ARGS",
		Short: "What any program reads of a private disk, counted from outside",
		Long: `count runs a command on a private disk that nobody else reads, in a control group
of its own, and tells how many reads reached the disk, whatever the command is
written in and however it reads: pread, O_DIRECT, io_uring or mapped files.

The command begins on the disk, in an empty directory, or in a copy of the one
that --copy names, which is only read, and must not be in use. The page cache is
empty then, and no more is read ahead than a read asks for. What is written to the
disk goes with it.

It takes root, and mkfs.ext4 of e2fsprogs. What a killed run leaves, the next one
removes.`,
		Example: `  getio count --copy /var/lib/store -- ./lookups --db . --keys 10000
  getio count --copy data/10m/db --memory 1GiB -- sh -c 'cat *.sst | wc -c'`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("count takes a command behind --: see '%s --help'", c.CommandPath())
			}
			return nil
		},
		Annotations: map[string]string{cleansUp: ""},
		RunE:        func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&f.copy, "copy", "", "let the disk hold a copy of what is in this directory")
	sizeVar(flags, &f.size, "size", "", "size of the disk (default: a quarter more than is copied, and 256MiB)")
	flags.StringVar(&f.disk, "disk", os.TempDir(), "a directory of the file system that the disk takes its space of")
	sizeVar(flags, &f.memory, "memory", "", "memory that the command may take, its page cache included")
	flags.BoolVar(&f.json, "json", false, "print a getio.count/1 record instead; what the command prints goes to standard error")
	return c
}

// counterState is where private disks are noted; empty is where all of a machine are. Tests
// that kill some have one of their own, so that no other start takes back what they left.
var counterState string

func (f *countFlags) run(c *cobra.Command, args []string) error {
	r := &record.ExternalCount{Schema: record.ExternalCountSchema, Command: args, Environment: record.ThisMachine()}
	if err := f.plan(r); err != nil {
		return err
	}
	cmd, err := ownCommand(args)
	if err != nil {
		return err
	}
	counter, err := counter.New(counter.Place{State: counterState, ImageIn: f.disk, Bytes: r.DiskBytes})
	if err != nil {
		return err
	}
	err = errors.Join(f.count(c.Context(), counter, cmd, r), counter.Close())
	if errors.Is(err, context.Canceled) {
		return stopped("the command was ended, and its disk is gone")
	}
	if err != nil {
		return err
	}
	if f.json {
		return errors.Join(record.WriteLine(c.OutOrStdout(), r), requireHold(r.Checks))
	}
	if err := requireHold(r.Checks); err != nil {
		return err
	}
	return report.ExternalCount(c.OutOrStdout(), r)
}

// leastMemory is what the kernel takes to start a command at all, with room to spare.
const leastMemory = 4 << 20

// plan reads the flags, and how large a disk they take; nothing is made before that.
func (f *countFlags) plan(r *record.ExternalCount) error {
	var size counter.Size
	if f.copy != "" {
		var err error
		if size, err = counter.SizeOf(f.copy); err != nil {
			return err
		}
		r.Copied = &record.CopiedTree{Path: f.copy, Files: size.Files, Bytes: size.Bytes}
	}
	r.DiskBytes = cmp.Or(f.size, counter.DiskFor(size))
	if r.MemoryLimitBytes = f.memory; f.memory > 0 && f.memory < leastMemory {
		return fmt.Errorf("--memory %s is too small: take at least %s", humanize.IBytes(uint64(f.memory)), humanize.IBytes(leastMemory))
	}
	return nil
}

// ownCommand is a command of the user's. It begins elsewhere, and is looked for here.
func ownCommand(args []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(args[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be run (%w): name a program behind --", args[0], err)
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Args[0] = args[0]
	return cmd, nil
}

// count runs the command on the counter's disk.
func (f *countFlags) count(ctx context.Context, counter *counter.Counter, cmd *exec.Cmd, r *record.ExternalCount) error {
	if f.copy != "" {
		locks, err := lockCopied(f.copy)
		if err != nil {
			return err
		}
		defer locks.Close()
		m := newMeter()
		defer m.finish()
		err = counter.Copy(ctx, f.copy, func(bytes int64) { m.show("copy", uint64(bytes)>>20, uint64(r.Copied.Bytes)>>20, "MiB", "") })
		if err != nil {
			return err
		}
		m.finish()
		if err := locks.Close(); err != nil {
			return err
		}
	}
	cmd.Dir = counter.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if f.json {
		cmd.Stdout = os.Stderr
	}
	n, took, err := counter.Run(ctx, cmd, r.MemoryLimitBytes)
	if err != nil {
		return err
	}
	r.Time, r.Seconds = time.Now().UTC(), took.Seconds()
	r.Reads, r.Bytes, r.Merged = n.Device.Reads, n.Device.Bytes, n.Device.Merged
	r.Group = record.GroupReads{Reads: n.Group.Reads, Bytes: n.Group.Bytes}
	r.Checks = readpath.Checks{n.Check()}
	return nil
}

// datasetDatabase is where datasets that getio makes have their database.
const datasetDatabase = "db"

// copiedLocks are the locks of databases that are being copied.
type copiedLocks []io.Closer

// lockCopied keeps the database in dir, or that of the dataset in dir, from being written to
// while it is copied, if there is one.
func lockCopied(dir string) (locks copiedLocks, err error) {
	for _, d := range []string{dir, filepath.Join(dir, datasetDatabase)} {
		lock, err := filelock.ForReading(filepath.Join(d, filelock.Name))
		if err != nil {
			return nil, errors.Join(err, locks.Close())
		}
		locks = append(locks, lock)
	}
	return locks, nil
}

// Close releases them; again, it does nothing.
func (l *copiedLocks) Close() (err error) {
	for _, lock := range *l {
		err = errors.Join(err, lock.Close())
	}
	*l = nil
	return err
}
