// Package counter counts what a command reads from outside of it, whatever it is
// written in and however it reads: pread, O_DIRECT, io_uring or mapped files. The
// command has a private disk, the counters of which nobody else moves, and runs in a
// control group of its own. Its page cache can be emptied before every lookup, or held
// to a budget.
//
// It is a ground package: it knows no engine.
package counter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"getio/system/blocktrace"
	"getio/system/cgroup"
	"getio/system/loopdisk"
	"getio/system/pagecache"
	"getio/system/tempdir"
)

// Place is where a counter has its things.
type Place struct {
	// State is a directory of getio's own, in memory best. What is made beyond it is
	// named after a directory in it, which is there and locked before: the next start
	// takes back what a killed process left. Empty: defaultState.
	State string
	// ImageIn is the directory of the file system that the private disk takes its space
	// of, and Bytes its size.
	ImageIn string
	Bytes   int64
}

// defaultState is where counters are noted if nothing else is said.
const defaultState = "/run/getio"

// Counter is a private disk and a control group. It is not safe for concurrent use.
type Counter struct {
	// Dir is the disk, empty at first.
	Dir string

	run   *tempdir.Temporary
	disk  *loopdisk.Disk
	group *cgroup.Group
	files *pagecache.Tree
	trace *blocktrace.Trace // nil until requests are traced
	// others are reads that the device had counted at the last count beyond the group's.
	others int64
}

// ErrRoot is of processes that may not make disks.
var ErrRoot = errors.New("reads are counted from outside on a private disk and in a control group, which only root with CAP_SYS_ADMIN can make: run as root, in a container with --privileged, or do with what is counted inside the engines")

// Allowed tells whether this process may make disks and groups. Root in a container as a
// rule may not.
func Allowed() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if os.Geteuid() != 0 || unix.Capget(&header, &sets[0]) != nil {
		return false
	}
	return sets[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

const (
	prefix   = "getio-" // of the directories in State, and what is named after them
	diskDir  = "disk"
	traceDir = "trace"
)

// New makes a counter. First it takes back what killed processes left.
func New(at Place) (c *Counter, err error) {
	if !Allowed() {
		return nil, ErrRoot
	}
	if at.State == "" {
		at.State = defaultState
	}
	h, err := cgroup.Find()
	if err != nil {
		return nil, err
	}
	// Commands that take another user's identity have to get through.
	if err := os.MkdirAll(at.State, 0o711); err != nil {
		return nil, fmt.Errorf("nothing can be noted in %s (%w): let it be written", at.State, err)
	}
	if _, err := tempdir.UndoAbandoned(at.State, prefix, func(dir string) error { return undo(h, dir) }); err != nil {
		return nil, err
	}
	run, err := tempdir.MakeTemporary(at.State, prefix)
	if err != nil {
		return nil, fmt.Errorf("nothing can be noted in %s (%w): let it be written", at.State, err)
	}
	c = &Counter{run: run, Dir: filepath.Join(run.Dir, diskDir)}
	if err := c.make(h, at); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Counter) make(h cgroup.Hierarchy, at Place) (err error) {
	for _, dir := range []string{c.Dir, c.traceDir()} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(c.run.Dir, 0o711); err != nil {
		return err
	}
	if c.group, err = h.Make(c.name()); err != nil {
		return err
	}
	if c.disk, err = loopdisk.Make(c.Dir, at.ImageIn, at.Bytes); err != nil {
		return err
	}
	if err := c.group.Account(c.disk.Number); err != nil {
		return err
	}
	c.files, err = pagecache.Open(c.Dir)
	return err
}

// name is that of everything outside of the run's directory.
func (c *Counter) name() string { return filepath.Base(c.run.Dir) }

func (c *Counter) traceDir() string { return filepath.Join(c.run.Dir, traceDir) }

// undo takes back what a killed process made that was noted in dir. The image of its
// disk and the loop device go with the mount.
func undo(h cgroup.Hierarchy, dir string) error {
	name := filepath.Base(dir)
	if err := h.Undo(name); err != nil {
		return err
	}
	if err := blocktrace.Undo(filepath.Join(dir, traceDir), name); err != nil {
		return err
	}
	return loopdisk.Undo(filepath.Join(dir, diskDir))
}

// Close kills what runs in the group, and takes everything back. If a part of it cannot be
// taken back now, the next start does.
func (c *Counter) Close() error {
	var err error
	if c.group != nil {
		err = c.group.Remove()
	}
	if c.files != nil {
		err = errors.Join(err, c.files.Close())
	}
	if c.trace != nil {
		err = errors.Join(err, c.trace.Close())
	}
	if c.disk != nil {
		err = errors.Join(err, c.disk.Close())
	}
	if err != nil {
		return errors.Join(err, c.run.Lock.Close())
	}
	return c.run.Remove()
}

// Start starts a command that is counted. Close kills it.
func (c *Counter) Start(cmd *exec.Cmd) error {
	if err := c.group.Start(cmd); err != nil {
		return fmt.Errorf("%s cannot be started: %w", cmd.Path, err)
	}
	return nil
}

// Gather puts each file on the private disk into one piece. No command may use them.
func (c *Counter) Gather(ctx context.Context) error { return c.disk.Gather(ctx) }

// Memory is what the commands take now.
func (c *Counter) Memory() (cgroup.Memory, error) { return c.group.Memory() }

// Count is what was read of the private disk: as its device counts, whoever read, and as
// the group of the commands is accounted.
type Count struct {
	Device loopdisk.Count
	Group  cgroup.Count
}

// Sub returns what was read between q and c.
func (c Count) Sub(q Count) Count { return Count{c.Device.Sub(q.Device), c.Group.Sub(q.Group)} }

// accountedWithin is how long the kernel may take to count a request that it has completed.
const accountedWithin = 100 * time.Millisecond

// Count returns what was read so far.
//
// There are kernels for which a request is no more under way a moment before it is counted.
// The group's reads are counted when they are handed to the device, and each becomes a
// request or a part of one: as long as the device has more of them outstanding than at the
// last count, it has not counted all.
func (c *Counter) Count() (n Count, err error) {
	for begun := time.Now(); ; {
		if n.Group, err = c.group.Reads(c.disk.Number); err != nil {
			return n, err
		}
		if n.Device, err = c.disk.Count(); err != nil {
			return n, err
		}
		others := n.Device.Reads + n.Device.Merged - n.Group.Reads
		if others >= c.others || time.Since(begun) > accountedWithin {
			c.others = others
			return n, nil
		}
	}
}
