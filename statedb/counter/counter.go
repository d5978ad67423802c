// Package counter counts what a command reads, from outside and however it reads: pread,
// O_DIRECT, io_uring or mapped files. The command works on a private disk that nobody else
// reads, or on files that stay where they are, in a control group of its own. Its page cache can
// be emptied before every lookup or limited to a budget.
package counter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/system/blocktrace"
	"getio/system/capability"
	"getio/system/cgroup"
	"getio/system/device"
	"getio/system/leftover"
	"getio/system/loopdisk"
	"getio/system/pagecache"
	"getio/system/tempdir"
)

// Place is where a counter keeps its state and its disk.
type Place struct {
	// State is a directory of getio's own, preferably in memory; empty means defaultState.
	// Whatever a counter makes elsewhere has the name of a locked directory in State, so
	// that the next start can remove what a killed process left.
	State string
	// ImageIn is a directory on the file system that holds the image of the private disk;
	// Bytes is the size of the disk.
	ImageIn string
	Bytes   int64
}

const defaultState = "/run/getio"

// Counter is a control group and the files that its commands read: those of a private disk, or
// those of a directory. It is not safe for concurrent use.
type Counter struct {
	// Dir is the mounted disk, empty at first, or the directory.
	Dir string

	run   *tempdir.Dir
	disk  *loopdisk.Disk // nil: Dir is a directory on a disk that others use too
	on    uint64         // device of the file system
	block uint64         // block device whose reads are counted; a file system may be on a part of it
	group *cgroup.Group
	files *pagecache.Files
	trace *blocktrace.Trace // nil until requests are traced
	// others is the number of device reads that were not the group's at the last count.
	others int64
}

// Allowed reports whether this process may make disks and control groups; if not, ErrRoot says why. Root in a
// container usually may not.
func Allowed() bool {
	return os.Geteuid() == 0 && capability.Has(capability.SysAdmin)
}

const (
	prefix   = "getio-" // of directories in State and of what is named after them
	diskDir  = "disk"
	traceDir = "trace"
)

// New makes a counter, after removing what killed processes left.
func New(at Place) (c *Counter, err error) {
	c, h, err := prepare(at.State)
	if err != nil {
		return nil, err
	}
	c.Dir = filepath.Join(c.run.Path, diskDir)
	if err := leftover.Make(func() error { return c.make(h, at) }); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// prepare removes what killed processes left, and makes the directory of a run in state.
func prepare(state string) (c *Counter, h cgroup.Hierarchy, err error) {
	if !Allowed() {
		return nil, h, ErrRoot
	}
	if state == "" {
		state = defaultState
	}
	if h, err = cgroup.Find(); err != nil {
		return nil, h, err
	}
	// Commands may run as another user and must be able to reach the disk.
	if err := tempdir.MakeTrusted(state, 0o711); errors.As(err, new(*fs.PathError)) {
		return nil, h, fmt.Errorf("cannot write to %s (%w): make it writable", state, err)
	} else if err != nil {
		return nil, h, err
	}
	switch fi, err := os.Stat(state); {
	case err != nil:
		return nil, h, fmt.Errorf("cannot look at %s (%w): make it readable", state, err)
	case fi.Mode()&0o022 != 0:
		return nil, h, fmt.Errorf("%s can be written to by other users: make it writable to root alone with chmod go-w", state)
	}
	if _, err := tempdir.RemoveAbandonedAfter(state, prefix, func(name string) error { return undo(h, filepath.Join(state, name)) }); err != nil {
		return nil, h, err
	}
	run, err := tempdir.New(state, prefix)
	if err != nil {
		return nil, h, fmt.Errorf("cannot write to %s (%w): make it writable", state, err)
	}
	run.UndoFirst(func() error { return undo(h, run.Path) })
	return &Counter{run: run}, h, nil
}

func (c *Counter) make(h cgroup.Hierarchy, at Place) (err error) {
	for _, dir := range []string{c.Dir, c.traceDir()} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(c.run.Path, 0o711); err != nil {
		return err
	}
	if c.group, err = h.Make(c.name()); err != nil {
		return err
	}
	if c.disk, err = loopdisk.Make(c.Dir, at.ImageIn, at.Bytes); err != nil {
		return err
	}
	c.on, c.block = c.disk.Number, c.disk.Number
	return c.account()
}

// account begins to count the group's reads, and opens the files.
func (c *Counter) account() (err error) {
	if err := c.group.Account(c.block); err != nil {
		return err
	}
	c.files, err = pagecache.Open(c.Dir)
	return err
}

// name is the name of everything made outside the run's directory.
func (c *Counter) name() string { return c.run.Name }

func (c *Counter) traceDir() string { return filepath.Join(c.run.Path, traceDir) }

// undo removes what a killed process made under the name of dir. Unmounting the disk also
// frees its image and its loop device.
func undo(h cgroup.Hierarchy, dir string) error {
	name := filepath.Base(dir)
	if err := h.CleanUp(name); err != nil {
		return err
	}
	if err := blocktrace.CleanUp(filepath.Join(dir, traceDir), name); err != nil {
		return err
	}
	return loopdisk.CleanUp(filepath.Join(dir, diskDir))
}

// Close kills the group's processes and removes everything. If some of it cannot be removed
// now, the next start removes it.
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
		return errors.Join(err, c.run.Leave())
	}
	return c.run.Remove()
}

// Start starts a command in the group. Close kills it.
func (c *Counter) Start(cmd *exec.Cmd) error { return c.StartBy(cmd, (*exec.Cmd).Start) }

// StartBy is Start with another way to start the command, such as on one processor.
func (c *Counter) StartBy(cmd *exec.Cmd, start func(*exec.Cmd) error) error {
	if err := c.group.Start(cmd, start); err != nil {
		return fmt.Errorf("%s cannot be started: %w", cmd.Path, err)
	}
	return nil
}

// Gather defragments the files on the private disk. No command may use them meanwhile.
func (c *Counter) Gather(ctx context.Context) error { return c.disk.Gather(ctx) }

// Memory is the memory in use by the group.
func (c *Counter) Memory() (cgroup.Memory, error) { return c.group.Memory() }

// Count is what was read from the private disk, by the device's count, whoever read, and by
// the group's.
type Count struct {
	Device loopdisk.Count
	Group  device.Count
}

func (c Count) Sub(q Count) Count { return Count{c.Device.Sub(q.Device), c.Group.Sub(q.Group)} }

// accountedWithin is how long the kernel may take to count a completed request.
const accountedWithin = 100 * time.Millisecond

// Count returns what was read so far. Without a private disk, only the group's reads are known.
//
// Some kernels count a request slightly after it has completed. The group's reads are
// counted when they are submitted, and each becomes a request or part of one. So the device
// has not counted all of them while it lags further behind the group than at the last count.
func (c *Counter) Count() (n Count, err error) {
	for begun := time.Now(); ; {
		if n.Group, err = c.group.Reads(c.block); err != nil || c.disk == nil {
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

// releasedWithin is how long the kernel of a busy machine may keep using a page that it has just read or
// listed. Such a page can be neither unmapped nor dropped.
const releasedWithin = time.Second

// Empty empties the page cache of all files on the disk and returns how many bytes were in
// it. It is an error if some stay.
func (c *Counter) Empty() (found int64, err error) {
	left, err := c.files.Drop()
	found = left.Found
	// Mapped pages stay. Reclaiming the group's memory removes even those that several
	// processes map, but is a hundred times slower.
	for _, out := range []func() error{c.pageOut, c.group.Reclaim} {
		if err != nil || left.Stayed == 0 {
			return found, err
		}
		if err := out(); err != nil {
			return found, err
		}
		left, err = c.files.Drop()
	}
	for begun := time.Now(); err == nil && left.Stayed > 0 && time.Since(begun) < releasedWithin; {
		if err = c.pageOut(); err == nil {
			left, err = c.files.Drop()
		}
	}
	if err == nil && left.Stayed > 0 {
		err = c.stayed(left)
	}
	return found, err
}

// stayed is the error for files that stay in the page cache.
func (c *Counter) stayed(left pagecache.Dropped) error {
	size := humanize.IBytes(uint64(left.Stayed))
	if c.disk == nil {
		return fmt.Errorf("%s of %s stays in memory, where another process has mapped it: stop that process, or work on a copy", size, left.Most)
	}
	return fmt.Errorf("%s of files on the private disk stays in memory, mostly of %s: a command that locks them there cannot be measured with an empty page cache", size, left.Most)
}

// pageOut unmaps the files from the group's processes.
func (c *Counter) pageOut() error { return c.ofEach(pagecache.PageOut) }

// readAsAsked turns readahead off for the files that the group's processes have open now.
func (c *Counter) readAsAsked() error { return c.ofEach(pagecache.DisableReadahead) }

// Unseen reports whether the kernel ignores accesses to mapped files of the disk (pagecache.Unseen).
func (c *Counter) Unseen() (unseen bool, err error) {
	err = c.ofEach(func(process int, device uint64) error {
		of, err := pagecache.Unseen(process, device)
		unseen = unseen || of
		return err
	})
	return unseen, err
}

// ofEach calls do for each process of the group.
func (c *Counter) ofEach(do func(process int, device uint64) error) error {
	list, err := c.group.Processes()
	for _, process := range list {
		if err == nil {
			err = do(process, c.on)
		}
	}
	return err
}

// Attach makes a counter for commands that read the files of an existing directory. The files stay
// where they are, and are not changed: their pages are dropped from the page cache. Others may use
// the disk, so only the group's reads are counted. Some file systems, such as btrfs and overlays,
// are on no block device that the kernel names.
func Attach(state, dir string) (*Counter, error) {
	disk, err := device.DiskOf(dir)
	if err != nil {
		return nil, fmt.Errorf("the kernel does not say which disk %s is on, so reads of it cannot be counted (%w): measure a copy on ext4 or XFS", dir, err)
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return nil, fmt.Errorf("cannot examine %s: %w", dir, err)
	}
	c, h, err := prepare(state)
	if err != nil {
		return nil, err
	}
	c.Dir, c.on, c.block = dir, uint64(st.Dev), disk.Number
	if c.group, err = h.Make(c.name()); err == nil {
		err = c.account()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Private is a directory for the counter's commands, which Close removes.
func (c *Counter) Private() string { return c.run.Path }
