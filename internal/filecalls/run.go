//go:build linux

// Package filecalls runs a program and answers its file system calls in place of the kernel: it
// lets them pass, makes them fail, or does them in another way. Tests use it to make the n-th read or
// write of an unmodified program fail, and to record what the program writes.
//
// It uses the user notifications of seccomp, and needs Linux 5.19.
package filecalls

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Answer is what becomes of a call. The zero value lets it pass to the kernel.
type Answer struct {
	Error  unix.Errno // what it fails with
	Done   bool       // it was done in the kernel's place, and returns Result
	Result int64
}

// Run runs cmd and calls answer for each call of some kinds that it or a child process of its makes.
// Calls of different threads are answered one after another. executor is the path of a program
// that calls Exec with its arguments. Run returns what cmd.Wait returns.
func Run(executor string, cmd *exec.Cmd, kinds []Kind, answer func(*Call) Answer) error {
	sockets, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	ours, theirs := sockets[0], os.NewFile(uintptr(sockets[1]), "socket")
	defer unix.Close(ours)
	defer theirs.Close()
	var list []string
	for _, n := range numbersOf(kinds) {
		list = append(list, strconv.Itoa(n))
	}
	cmd.Args = append([]string{executor, strings.Join(list, ","), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = executor
	cmd.ExtraFiles = []*os.File{theirs}
	if err := cmd.Start(); err != nil {
		return err
	}
	theirs.Close()
	listener, err := receiveListener(ours)
	if err != nil {
		cmd.Process.Kill()
		return errors.Join(err, cmd.Wait())
	}
	defer unix.Close(listener)
	thread, served := make(chan int, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread <- unix.Gettid()
		served <- serve(listener, answer)
	}()
	ended := cmd.Wait()
	return errors.Join(ended, awaitServer(<-thread, served))
}

// awaitServer waits until serve has returned. Older kernels do not wake a server that waits for
// a call of a program that was killed: a signal does.
func awaitServer(thread int, served <-chan error) error {
	wake := time.NewTicker(10 * time.Millisecond)
	defer wake.Stop()
	for {
		select {
		case err := <-served:
			return err
		case <-wake.C:
			unix.Tgkill(os.Getpid(), thread, unix.SIGURG)
		}
	}
}

// serve answers calls until no process is left that could make one.
func serve(listener int, answer func(*Call) Answer) error {
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR {
			return err
		}
		switch {
		case ready[0].Revents&unix.POLLIN != 0:
			if err := serveOne(listener, answer); err != nil {
				return err
			}
		case ready[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0:
			return nil
		}
	}
}

func serveOne(listener int, answer func(*Call) Answer) error {
	var n notification
	switch errno := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno {
	case 0:
	case unix.ENOENT, unix.EINTR: // a signal came first: the call is made again after it
		return nil
	default:
		return fmt.Errorf("cannot receive a call: %w", errno)
	}
	a := answer(newCall(&n))
	r := response{id: n.id, val: a.Result, errno: -int32(a.Error)}
	if a == (Answer{}) {
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	switch errno := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)); errno {
	case 0, unix.ENOENT: // it was killed
		return nil
	default:
		return fmt.Errorf("cannot answer a call: %w", errno)
	}
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
	return errno
}
