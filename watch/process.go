package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"getio/watch/probe"
)

var errNoProcess = errors.New("no process is named")

// Find returns the process with a number, or the only one with a name.
func Find(process string) (pid int, err error) {
	if runtime.GOOS != "linux" {
		return 0, probe.ErrNotLinux
	}
	if pid, err := strconv.Atoi(process); err == nil {
		if pid <= 0 {
			return 0, fmt.Errorf("invalid process %q: name one by its number, or by the name of its program", process)
		}
		return pid, nil
	}
	pids, err := named(process)
	switch {
	case err != nil:
		return 0, err
	case len(pids) == 0:
		return 0, fmt.Errorf("%w %q: look its number up with ps, and watch that", errNoProcess, process)
	case len(pids) > 1:
		return 0, fmt.Errorf("%d processes are named %q (%s): name one by its number", len(pids), process, strings.Trim(fmt.Sprint(pids), "[]"))
	}
	return pids[0], nil
}

// named returns the processes whose program has a name. The kernel keeps the first 15 bytes.
func named(name string) (pids []int, err error) {
	const kept = 15
	all, err := procfs.AllProcs()
	for _, p := range all {
		comm, err := p.Comm() // it may have ended
		if err == nil && comm == name[:min(len(name), kept)] && p.PID != os.Getpid() {
			pids = append(pids, p.PID)
		}
	}
	slices.Sort(pids)
	return pids, err
}

// Arguments returns the command line of a process; nil if it cannot be seen.
func Arguments(pid int) []string {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return nil
	}
	args, err := p.CmdLine()
	if err != nil {
		return nil
	}
	return args
}

type process struct {
	pid    int
	handle int // of the process itself: its number may be another's later
}

func openProcess(pid int) (*process, error) {
	handle, err := pidfdOpen(pid)
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		// The number of a thread, not a process, is EINVAL, or ENOENT on newer kernels.
		return nil, fmt.Errorf("there is no process %d: look its number up with ps or pidof", pid)
	case err != nil:
		return nil, fmt.Errorf("cannot watch process %d: %w", pid, err)
	}
	return &process{pid, handle}, nil
}

func (p *process) close() { unix.Close(p.handle) }

func (p *process) ended() bool {
	fds := []unix.PollFd{{Fd: int32(p.handle), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

func (p *process) file(name string) string { return fmt.Sprintf("/proc/%d/%s", p.pid, name) }

func (p *process) name() string {
	comm, _ := os.ReadFile(p.file("comm"))
	return strings.TrimSpace(string(comm))
}

// directory is one in which the process has a file open.
type directory struct {
	path string // as the kernel names it: in another mount namespace, from that one's root
	here string // leads there from here; empty if no such path is known
}

// directoryOf returns the directory in which an open file was opened, or not ok if the name does not say it. A process in
// a container, or below another root, may use a path that leads elsewhere from here, such as to another database. The
// link /proc/PID/root leads to its root, but its text does not.
func (p *process) directoryOf(fd string) (d directory, name string, ok bool) {
	path, err := os.Readlink(p.file("fd/" + fd))
	path = strings.TrimSuffix(path, " (deleted)")
	if err != nil || !filepath.IsAbs(path) {
		return d, "", false
	}
	d.path, name = filepath.Split(path)
	d.path = filepath.Clean(d.path)
	open, err := os.Stat(p.file("fd/" + fd))
	if err != nil {
		return d, name, true
	}
	for _, here := range []string{d.path, filepath.Join(p.file("root"), d.path)} {
		if fi, err := os.Stat(filepath.Join(here, name)); err == nil && os.SameFile(fi, open) {
			d.here = here
			break
		}
	}
	return d, name, true
}

// locked returns the directories in which the process has a LOCK file open, as the libraries keep
// it for a database that is open.
func (p *process) locked() (dirs []directory, err error) {
	entries, err := os.ReadDir(p.file("fd"))
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("no permission to see which files process %d has open: run getio as root on the host or as the user of the process, or with the capability CAP_DAC_READ_SEARCH", p.pid)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot see which files process %d has open: %w", p.pid, err)
	}
	for _, e := range entries {
		if path, err := os.Readlink(p.file("fd/" + e.Name())); err != nil || filepath.Base(path) != "LOCK" {
			continue
		}
		if d, _, ok := p.directoryOf(e.Name()); ok && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	return dirs, nil
}

// folder identifies a directory as the kernel does.
func folder(path string) (f probe.Folder, err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	st := fi.Sys().(*syscall.Stat_t)
	const minorBits = 20 // of the kernel's own device numbers (include/linux/kdev_t.h)
	return probe.Folder{Device: uint64(unix.Major(uint64(st.Dev)))<<minorBits | uint64(unix.Minor(uint64(st.Dev))), Inode: st.Ino}, nil
}

// versionOf identifies a file and its contents as the kernel does.
func versionOf(path string) (v probe.FileVersion, err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return v, err
	}
	return probe.FileVersion{Inode: fi.Sys().(*syscall.Stat_t).Ino, Size: fi.Size(), Modified: fi.ModTime().UnixNano()}, nil
}

// fd returns a path that opens the file of a descriptor, even if the file was deleted.
func (p *process) fd(n uint32) string { return p.file("fd/" + strconv.FormatUint(uint64(n), 10)) }
