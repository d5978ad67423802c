package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ForWriting takes the fcntl(2) lock that Pebble takes on a database opened for writing. It
// creates the lock file if there is none. The error wraps ErrLocked if any process, including
// this one, has the database open.
func ForWriting(dir string) (io.Closer, error) {
	readLocks.Lock()
	defer readLocks.Unlock()
	path := filepath.Join(dir, Name)
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err == nil && readLocks.held[fileID{device: uint64(stat.Dev), inode: stat.Ino}] != nil {
		return nil, fmt.Errorf("%s is open for reading in this process, and so is %w: close it first", dir, ErrLocked)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot open the lock file: %w", err)
	}
	spec := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &spec)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return nil, fmt.Errorf("%s is %w%s: stop that process, or choose another directory", dir, ErrLocked, Holder(path))
	}
	return nil, fmt.Errorf("cannot lock %s: %w", path, err)
}
