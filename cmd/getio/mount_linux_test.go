package main

import (
	"os"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// canMount tells whether this process may mount file systems.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "getio-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	return unix.Unmount(dir, 0) == nil
})

// scriptTmpfs mounts a file system of a size, or changes the size of one.
func scriptTmpfs(ts *testscript.TestScript, _ bool, args []string) {
	dir, size := ts.MkAbs(args[0]), "size="+args[1]
	if _, err := os.Stat(dir); err == nil {
		ts.Check(unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, size))
		return
	}
	ts.Check(os.Mkdir(dir, 0o755))
	ts.Check(unix.Mount("tmpfs", dir, "tmpfs", 0, size))
	ts.Defer(func() { unmount(ts, dir) })
}

// scriptReadOnly mounts a directory a second time, not to be written.
func scriptReadOnly(ts *testscript.TestScript, _ bool, args []string) {
	from, dir := resolved(ts, args[0]), ts.MkAbs(args[1])
	ts.Check(os.Mkdir(dir, 0o755))
	ts.Check(unix.Mount(from, dir, "", unix.MS_BIND, ""))
	ts.Defer(func() { unmount(ts, dir) })
	ts.Check(unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
}

func unmount(ts *testscript.TestScript, dir string) {
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		ts.Logf("cannot unmount %s: %v", dir, err)
	}
}

// ownMounts is how a program starts in PID and mount namespaces of its own.
func ownMounts() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
}
