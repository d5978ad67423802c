package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start starts the command from a thread in the group, so that it is in the group from its first
// instruction. The thread then ends.
func (v v1) Start(cmd *exec.Cmd, start func(*exec.Cmd) error) error {
	started := make(chan error)
	go onOwnThread(func() { started <- v.startHere(cmd, start) })
	return <-started
}

// onOwnThread calls f on a thread that ends with the goroutine.
func onOwnThread(f func()) {
	runtime.LockOSThread() // and never unlocked
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	// The first thread of a process never ends, so another one must call f.
	done := make(chan struct{})
	go func() {
		defer close(done)
		onOwnThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}

func (v v1) startHere(cmd *exec.Cmd, start func(*exec.Cmd) error) error {
	for _, dir := range []string{v.memoryDir, v.blocksDir} {
		if err := write(dir, "tasks", strconv.Itoa(unix.Gettid())); err != nil {
			return err
		}
	}
	return start(cmd)
}

func (v v2) Start(cmd *exec.Cmd, start func(*exec.Cmd) error) error {
	dir, err := os.Open(v.dir)
	if err != nil {
		return fmt.Errorf("cannot enter the control group %s: %w", v.dir, err)
	}
	defer dir.Close()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD = true
	cmd.SysProcAttr.CgroupFD = int(dir.Fd())
	return start(cmd)
}
