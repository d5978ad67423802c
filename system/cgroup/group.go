// Package cgroup runs commands in control groups of their own, which count what the
// commands read from a device and count and limit their memory. It supports versions 1
// and 2.
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
)

// Count is what a group has read of a device. Reads are as they were handed to the device:
// those that it merges with a neighbour count too.
type Count struct{ Reads, Bytes int64 }

// Sub returns what was read between q and c.
func (c Count) Sub(q Count) Count { return Count{c.Reads - q.Reads, c.Bytes - q.Bytes} }

// Group is a control group for memory and block I/O.
type Group struct {
	version version
	// dirs are its directories, the innermost first: of each hierarchy with version 1,
	// of the one hierarchy with version 2.
	dirs []string
}

// version is what the versions of control groups do differently.
type version interface {
	// account has the group's reads of a device counted.
	account(device uint64) error
	start(cmd *exec.Cmd) error
	reads(device uint64) (Count, error)
	memory() (Memory, error)
	limit(bytes int64) error
	reclaim() error
}

// Memory is what a group takes, in bytes.
type Memory struct {
	Used int64 // all that counts against a limit
	// Files is the page cache of files, Anonymous what belongs to no file.
	Files, Anonymous int64
}

// Unlimited is the limit of a group that has none.
const Unlimited = -1

// Account has the group's reads of a device counted. Version 1 counts none before.
func (g *Group) Account(device uint64) error { return g.version.account(device) }

// Start starts a command in the group.
func (g *Group) Start(cmd *exec.Cmd) error { return g.version.start(cmd) }

// Reads is what the group has read of a device so far.
func (g *Group) Reads(device uint64) (Count, error) { return g.version.reads(device) }

// Memory is what the group takes now.
func (g *Group) Memory() (Memory, error) { return g.version.memory() }

// Limit bounds the memory of the group. What is over it the kernel takes back, of the page
// cache; if it cannot, it kills a process of the group.
func (g *Group) Limit(bytes int64) error { return g.version.limit(bytes) }

// Reclaim frees all reclaimable memory of the group, including pages mapped by other
// processes.
func (g *Group) Reclaim() error { return g.version.reclaim() }

// Processes are those in the group.
func (g *Group) Processes() ([]int, error) { return processes(g.dirs[0]) }

func processes(dir string) (list []int, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the processes of the control group %s are not known: %w", dir, err)
	}
	for field := range strings.FieldsSeq(string(data)) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("the processes of the control group %s are not known: %w", dir, err)
		}
		list = append(list, n)
	}
	return list, nil
}

// Kill ends all processes in the group.
func (g *Group) Kill() error { return kill(g.dirs[0]) }

// Remove kills what is left in the group, and removes it.
func (g *Group) Remove() error { return remove(g.dirs) }

// emptyWithin is how long killed processes may take to end.
const emptyWithin = 20 * time.Second

func remove(dirs []string) error {
	for _, dir := range dirs {
		if err := kill(dir); err != nil {
			return err
		}
		if err := removeEmpty(dir); err != nil {
			return err
		}
	}
	return nil
}

// kill ends all processes of a group, those too that are begun meanwhile. This process is
// in it as long as the thread that started a command there has not ended.
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
			if process > 0 && process != os.Getpid() { // 0: of another namespace of processes
				unix.Kill(process, unix.SIGKILL)
			}
		}
	}
}

// removeEmpty removes a group without processes. The kernel may take a moment to see that
// the last one has gone.
func removeEmpty(dir string) error {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		err := os.Remove(dir)
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist):
			return nil
		case !errors.Is(err, unix.EBUSY) || time.Since(begun) > emptyWithin:
			return fmt.Errorf("the control group %s cannot be removed: %w", dir, err)
		}
	}
}

// write writes a file of a group. It does so without the runtime's poller, which takes
// EAGAIN for a file that is not ready yet, and waits for one that always is.
func write(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(writeOnce(int(f.Fd()), text), f.Close())
	}
	if err != nil {
		return fmt.Errorf("the control group %s does not take %q: %w", dir, text, err)
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

// number reads a file of a group that is one number.
func number(dir, name string) (int64, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0, fmt.Errorf("the account of the control group %s cannot be read: %w", dir, err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the account of the control group %s is not understood: %w", dir, err)
	}
	return n, nil
}

// figures reads a file of a group of lines such as "anon 4096".
func figures(dir, name string) (map[string]int64, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("the account of the control group %s cannot be read: %w", dir, err)
	}
	all := map[string]int64{}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the account of the control group %s is not understood: %w", dir, err)
		}
		all[key] = n
	}
	return all, nil
}

// deviceName is how groups write a device.
func deviceName(device uint64) string {
	return fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
}
