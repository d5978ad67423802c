package filelock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// CheckUnused returns the error of Locked if another process, or another open file of this one, has a
// lock of any kind of fcntl(2) on one of the named files in dir. A file that is not there is unused.
func CheckUnused(dir string, names ...string) error {
	for _, name := range names {
		locked, err := anyLock(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if locked {
			return fmt.Errorf("%s is %w%s: stop that process, or work on a copy", dir, ErrLocked, Holder(filepath.Join(dir, name)))
		}
	}
	return nil
}

// anyLock asks the kernel which lock would keep the whole file from being locked for writing. Nothing
// is locked.
func anyLock(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot open %s to see who has locked it: %w", path, err)
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), getLock, &lock); err != nil {
		return false, fmt.Errorf("cannot see who has locked %s: %w", path, err)
	}
	return lock.Type != unix.F_UNLCK, nil
}
