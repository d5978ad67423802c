package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// v1 is a group in two hierarchies (Linux, Documentation/admin-guide/cgroup-v1).
type v1 struct{ memoryDir, blocksDir string }

// account sets a limit that no device reaches: without any, reads are not counted.
func (v v1) account(device uint64) error {
	return write(v.blocksDir, "blkio.throttle.read_iops_device", deviceName(device)+" 1000000000")
}

// start starts the command from a thread that is in the group, so that it is born there.
// The thread ends then.
func (v v1) start(cmd *exec.Cmd) error {
	started := make(chan error)
	go onOwnThread(func() { started <- v.startHere(cmd) })
	return <-started
}

// onOwnThread calls f on a thread that ends with the goroutine.
func onOwnThread(f func()) {
	runtime.LockOSThread() // and never unlocked
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	// The first thread of a process never ends: another one is to do it.
	done := make(chan struct{})
	go func() {
		defer close(done)
		onOwnThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}

func (v v1) startHere(cmd *exec.Cmd) error {
	for _, dir := range []string{v.memoryDir, v.blocksDir} {
		if err := write(dir, "tasks", strconv.Itoa(unix.Gettid())); err != nil {
			return err
		}
	}
	return cmd.Start()
}

func (v v1) reads(device uint64) (Count, error) {
	var c Count
	for name, to := range map[string]*int64{"blkio.throttle.io_serviced": &c.Reads, "blkio.throttle.io_service_bytes": &c.Bytes} {
		data, err := os.ReadFile(filepath.Join(v.blocksDir, name))
		if err != nil {
			return Count{}, fmt.Errorf("the account of the control group %s cannot be read: %w", v.blocksDir, err)
		}
		if *to, err = parseServiced(string(data), deviceName(device)); err != nil {
			return Count{}, fmt.Errorf("the account of the control group %s is not understood: %w", v.blocksDir, err)
		}
	}
	return c, nil
}

// parseServiced finds the line of a device, such as "7:0 Read 20000". One that nothing was
// read of may have none.
func parseServiced(text, device string) (int64, error) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, device+" Read "); ok {
			return strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		}
	}
	return 0, nil
}

func (v v1) memory() (m Memory, err error) {
	if m.Used, err = number(v.memoryDir, "memory.usage_in_bytes"); err != nil {
		return m, err
	}
	all, err := figures(v.memoryDir, "memory.stat")
	m.Files, m.Anonymous = all["total_cache"], all["total_rss"]
	return m, err
}

func (v v1) limit(bytes int64) error {
	if err := write(v.memoryDir, "memory.swappiness", "0"); err != nil {
		return err
	}
	return write(v.memoryDir, "memory.limit_in_bytes", strconv.FormatInt(bytes, 10))
}

func (v v1) reclaim() error { return write(v.memoryDir, "memory.force_empty", "0") }
