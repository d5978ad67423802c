package counter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/engine/readpath"
	"getio/record"
	"getio/system/filelock"
)

// minMemory is the least memory, in bytes, that a command can be limited to: what the kernel
// needs to start it, with room to spare.
const minMemory = 4 << 20

// Command is a command whose reads are counted.
type Command struct {
	*exec.Cmd
	Copy        string // a directory of which the disk gets a copy; empty: none
	MemoryBytes int64  // limit; 0: none
	Place       Place  // Bytes of 0: a quarter more than is copied, and 256 MiB
	// Copied is called with the bytes copied so far, and their total.
	Copied func(done, total int64)
}

// Check refuses a limit of memory with which no command starts.
func (c *Command) Check() error {
	if m := c.MemoryBytes; m > 0 && m < minMemory {
		return fmt.Errorf("--memory %s is too small: take at least %s", humanize.IBytes(uint64(m)), humanize.IBytes(minMemory))
	}
	return nil
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
func (c *Command) copy(ctx context.Context, counter *Counter, total int64) error {
	for _, dir := range []string{c.Copy, filepath.Join(c.Copy, datasetDatabase)} {
		lock, err := filelock.ForReading(filepath.Join(dir, filelock.Name))
		if err != nil {
			return err
		}
		defer lock.Close() // it was only read
	}
	return counter.Copy(ctx, c.Copy, func(done int64) { c.Copied(done, total) })
}

// Run runs a command with an empty page cache. It returns what the command and its children
// read, and how long they took. If memory is positive, it limits their memory, page cache
// included. It kills children that outlive the command.
func (c *Counter) Run(ctx context.Context, cmd *exec.Cmd, memory int64) (n Count, took time.Duration, err error) {
	if memory > 0 {
		if err := c.group.Limit(memory); err != nil {
			return n, 0, err
		}
	}
	if _, err := c.Empty(); err != nil {
		return n, 0, err
	}
	before, err := c.Count()
	if err != nil {
		return n, 0, err
	}
	begun := time.Now()
	if err := c.Start(cmd); err != nil {
		return n, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		if err := c.group.Kill(); err != nil {
			return n, 0, errors.Join(err, ctx.Err())
		}
		return n, 0, errors.Join(<-ended, ctx.Err())
	}
	took = time.Since(begun)
	if err != nil {
		return n, 0, errors.Join(ctx.Err(), fmt.Errorf("%s failed (%w): its reads were not counted to the end", cmd.Args[0], err))
	}
	after, err := c.Count()
	if err != nil {
		return n, 0, err
	}
	return after.Sub(before), took, ctx.Err()
}

// Size is the number and total size of the regular files in a directory.
type Size struct{ Files, Bytes int64 }

// SizeOf measures a directory. It is an error if the directory cannot be copied: if it has special
// files, or links that lead out of it, because reads through those would not be counted.
func SizeOf(dir string) (s Size, err error) {
	root, err := realDirectory(dir)
	if err != nil {
		return Size{}, err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case d.Type() == fs.ModeSymlink:
			return requireWithin(root, path)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a file, directory or link", path)
		}
		fi, err := d.Info()
		if err == nil {
			s.Files++
			s.Bytes += fi.Size()
		}
		return err
	})
	if err != nil {
		return Size{}, cannotBeCopied(dir, err)
	}
	return s, nil
}

func cannotBeCopied(dir string, err error) error {
	return fmt.Errorf("cannot copy %s (%w): choose another directory", dir, err)
}

// realDirectory resolves a path to a directory.
func realDirectory(path string) (string, error) {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", cannotBeCopied(path, err)
	}
	if fi, err := os.Stat(root); err != nil || !fi.IsDir() {
		return "", fmt.Errorf("%s is not a directory: name a directory to copy", path)
	}
	return root, nil
}

// requireWithin refuses a link that would not lead to the copy of its target.
func requireWithin(root, link string) error {
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	to, err := filepath.Rel(root, filepath.Join(filepath.Dir(link), target))
	if err != nil || filepath.IsAbs(target) || !filepath.IsLocal(to) {
		return fmt.Errorf("%s is a link that leads out of it, through which reads would not be counted", link)
	}
	return nil
}

// DiskFor is the size of a disk with room for a copy and some more.
func DiskFor(s Size) int64 { return s.Bytes + s.Bytes/4 + s.Files<<14 + 256<<20 }

// Copy copies the contents of a directory, which must not change meanwhile, to the private disk.
func (c *Counter) Copy(ctx context.Context, from string, progress func(bytes int64)) error {
	root, err := realDirectory(from)
	if err != nil {
		return err
	}
	in, err := os.OpenRoot(root) // out of which no link leads that another user puts there meanwhile
	if err != nil {
		return cannotBeCopied(from, err)
	}
	defer in.Close()
	var done int64
	err = fs.WalkDir(in.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || name == "." {
			return err
		}
		to := filepath.Join(c.Dir, name)
		switch {
		case d.IsDir():
			return os.Mkdir(to, 0o755)
		case d.Type() == fs.ModeSymlink:
			target, err := in.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(target, to)
		}
		return copyFile(ctx, in, name, to, func(n int64) {
			done += n
			progress(done)
		})
	})
	if errors.Is(err, unix.ENOSPC) {
		return fmt.Errorf("the private disk has no room for a copy of %s: make it larger", from)
	}
	if err != nil {
		return cannotBeCopied(from, err)
	}
	return nil
}

// piece is the number of bytes copied between checks for cancellation.
const piece = 8 << 20

func copyFile(ctx context.Context, from *os.Root, name, to string, copied func(n int64)) (err error) {
	in, err := from.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a named pipe does not make it wait
	if err != nil {
		return err
	}
	defer in.Close()
	fi, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fi.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for ctx.Err() == nil {
		n, err := io.CopyN(out, in, piece)
		copied(n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
