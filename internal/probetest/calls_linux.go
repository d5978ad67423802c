package probetest

import (
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// contained is how a program starts in PID and user namespaces of its own.
func contained(testing.TB) *syscall.SysProcAttr {
	root := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWUSER, UidMappings: root}
}

// withMounts is how a program starts in PID and mount namespaces of its own.
func withMounts(testing.TB) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
}

// willNeed asks the kernel to read the first bytes of a file.
func willNeed(f *os.File, bytes int64) error {
	return unix.Fadvise(int(f.Fd()), 0, bytes, unix.FADV_WILLNEED)
}

func sleep(d time.Duration) {
	wait := unix.NsecToTimespec(d.Nanoseconds())
	unix.Nanosleep(&wait, nil)
}
