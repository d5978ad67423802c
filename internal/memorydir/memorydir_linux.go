// Package memorydir names a directory in memory for the images of private disks, so that tests read them fast.
package memorydir

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Path is the directory that For prefers.
const Path = "/dev/shm"

// For returns Path if files there support direct I/O (Linux 6.6 and later), otherwise a temporary directory.
func For(t testing.TB) string {
	fd, err := unix.Open(Path, unix.O_TMPFILE|unix.O_RDWR|unix.O_DIRECT|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return t.TempDir()
	}
	unix.Close(fd)
	return Path
}
