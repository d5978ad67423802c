// Package cgroup runs commands in control groups, which count what the commands read from a
// device, and count and limit their memory. Callers do not see whether the machine has version 1 or 2.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"getio/system/device"
	"getio/system/filesystem"
)

// Group is a control group for memory and block I/O.
type Group struct {
	version
	// dirs are its directories, innermost first: one in each hierarchy of version 1, or all
	// in the one hierarchy of version 2.
	dirs []string
}

// version holds the operations that differ between versions 1 and 2.
type version interface {
	// Account starts to count the group's reads of a device. Version 1 counts no earlier reads.
	Account(block uint64) error
	// Start starts a command in the group. The command is started by start, such as (*exec.Cmd).Start,
	// on the thread that calls it.
	Start(cmd *exec.Cmd, start func(*exec.Cmd) error) error
	// Reads returns what the group has read from a device: its requests, before the device merges neighbours.
	Reads(block uint64) (device.Count, error)
	// Memory returns the memory that the group uses now.
	Memory() (Memory, error)
	// Limit limits the memory of the group. To stay within the limit, the kernel frees page
	// cache; if that is not enough, it kills a process of the group.
	Limit(bytes int64) error
	// Reclaim frees all reclaimable memory of the group, including pages mapped by other processes.
	Reclaim() error
}

// Memory is the memory of a group, in bytes.
type Memory struct {
	Used             int64 // counts against the limit
	Files, Anonymous int64 // page cache of files; memory without a file
	ActiveFiles      int64 // the part of Files in the kernel's active list
}

// Unlimited as a limit means that there is none.
const Unlimited = -1

// Processes returns the processes in the group.
func (g *Group) Processes() ([]int, error) { return processes(g.dirs[0]) }

func processes(dir string) (list []int, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for field := range strings.FieldsSeq(string(data)) {
		n, e := strconv.Atoi(field)
		list, err = append(list, n), errors.Join(err, e)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the processes of the control group %s: %w", dir, err)
	}
	return list, nil
}

// Kill kills all processes in the group.
func (g *Group) Kill() error { return kill(g.dirs[0]) }

// Remove kills all processes in the group and removes it.
func (g *Group) Remove() error { return remove(g.dirs) }

// emptyWithin is how long killed processes may take to end.
const emptyWithin = 20 * time.Second

func remove(dirs []string) error {
	for _, dir := range dirs {
		if err := kill(dir); err != nil {
			return err
		}
		// The kernel may notice late that the last process has ended.
		if err := filesystem.RemoveBusy(dir, emptyWithin); err != nil {
			return fmt.Errorf("cannot remove the control group %s: %w", dir, err)
		}
	}
	return nil
}

// kill kills all processes of a group, including those started meanwhile. It skips this process,
// which belongs to the group until the thread that started a command there has ended.
func kill(dir string) error {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		list, err := processes(dir)
		if err != nil || len(list) == 0 {
			return err
		}
		if time.Since(begun) > emptyWithin {
			return fmt.Errorf("%d processes of the control group %s do not end: end them, and the next start removes it", len(list), dir)
		}
		for _, process := range list {
			if process > 0 && process != os.Getpid() { // 0: in another PID namespace
				unix.Kill(process, unix.SIGKILL)
			}
		}
	}
}

// write writes a file of a group. It bypasses the runtime's poller, which would take EAGAIN to mean
// that the file is not ready yet and would wait forever.
func write(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(writeOnce(int(f.Fd()), text), f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write %q to %s of the control group %s: %w", text, name, dir, err)
	}
	return nil
}

func writeOnce(fd int, text string) error {
	for {
		if _, err := unix.Write(fd, []byte(text)); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// read parses a file of a group.
func read[T any](dir, name string, parse func(text string) (T, error)) (value T, err error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil {
		value, err = parse(string(data))
	}
	if err != nil {
		return value, fmt.Errorf("cannot read %s of the control group %s: %w", name, dir, err)
	}
	return value, nil
}

// number returns the number after prefix in the line that begins with it, or 0 if no line does:
// the kernel may omit a device that was not read.
func number(prefix string) func(text string) (int64, error) {
	return func(text string) (int64, error) {
		for line := range strings.Lines(text) {
			if value, ok := strings.CutPrefix(line, prefix); ok {
				return strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			}
		}
		return 0, nil
	}
}

// readMemory reads the file named used, and the named lines of memory.stat.
func readMemory(dir, used, files, anonymous, activeFiles string) (m Memory, err error) {
	var errs [4]error
	m.Used, errs[0] = read(dir, used, number(""))
	m.Files, errs[1] = read(dir, "memory.stat", number(files+" "))
	m.Anonymous, errs[2] = read(dir, "memory.stat", number(anonymous+" "))
	m.ActiveFiles, errs[3] = read(dir, "memory.stat", number(activeFiles+" "))
	return m, errors.Join(errs[:]...)
}

// deviceName returns the name of a device in the files of groups.
func deviceName(block uint64) string {
	return fmt.Sprintf("%d:%d", unix.Major(block), unix.Minor(block))
}
