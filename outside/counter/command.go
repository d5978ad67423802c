package counter

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"getio/record"
	"getio/system/filelock"
	"getio/tree/readpath"
)

// MinMemory is the least memory, in bytes, that a command can be limited to: what the kernel
// needs to start it, with room to spare.
const MinMemory = 4 << 20

// Command is a command whose reads are counted.
type Command struct {
	*exec.Cmd
	Copy        string // a directory of which the disk gets a copy; empty: none
	MemoryBytes int64  // limit; 0: none
	Place       Place  // Bytes of 0: a quarter more than is copied, and 256 MiB
	// Copied is called with the bytes copied so far, and their total.
	Copied func(done, total int64)
}

// Measure runs the command on a private disk, which it removes, and returns what it read.
func (c *Command) Measure(ctx context.Context) (r *record.ExternalCount, err error) {
	r = &record.ExternalCount{
		Schema: record.ExternalCountSchema, Command: c.Args, Environment: record.ThisMachine(),
		MemoryLimitBytes: c.MemoryBytes,
	}
	var size Size
	if c.Copy != "" {
		if size, err = SizeOf(c.Copy); err != nil {
			return nil, err
		}
		r.Copied = &record.CopiedTree{Path: c.Copy, Files: size.Files, Bytes: size.Bytes}
	}
	if c.Place.Bytes == 0 {
		c.Place.Bytes = DiskFor(size)
	}
	r.DiskBytes = c.Place.Bytes
	counter, err := New(c.Place)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, counter.Close()) }()
	if c.Copy != "" {
		if err := c.copy(ctx, counter, size.Bytes); err != nil {
			return nil, err
		}
	}
	c.Dir = counter.Dir
	n, took, err := counter.Run(ctx, c.Cmd, c.MemoryBytes)
	if err != nil {
		return nil, err
	}
	r.Time, r.Seconds = time.Now().UTC(), took.Seconds()
	r.Reads, r.Bytes, r.Merged = n.Device.Reads, n.Device.Bytes, n.Device.Merged
	r.Group = record.GroupReads{Reads: n.Group.Reads, Bytes: n.Group.Bytes}
	r.Checks = readpath.Checks{n.Check()}
	return r, nil
}

// datasetDatabase is the directory of the database in a dataset.
const datasetDatabase = "db"

// copy copies the directory while a database in it, or in a dataset in it, is locked against
// writing.
func (c *Command) copy(ctx context.Context, counter *Counter, total int64) (err error) {
	var locks []io.Closer
	defer func() {
		for _, lock := range locks {
			err = errors.Join(err, lock.Close())
		}
	}()
	for _, dir := range []string{c.Copy, filepath.Join(c.Copy, datasetDatabase)} {
		lock, err := filelock.ForReading(filepath.Join(dir, filelock.Name))
		if err != nil {
			return err
		}
		locks = append(locks, lock)
	}
	return counter.Copy(ctx, c.Copy, func(done int64) { c.Copied(done, total) })
}
