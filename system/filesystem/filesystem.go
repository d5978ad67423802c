// Package filesystem describes the file system that holds a directory.
package filesystem

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// FileSystem is a mounted file system.
type FileSystem struct {
	Type        string // such as ext4
	Bytes       int64  // in total; 0 if it does not tell, as a tmpfs without a limit
	FreeBytes   int64  // that this user may still write
	UnusedBytes int64  // FreeBytes and what is reserved for root
	ReadOnly    bool
}

// Holding returns the file system on which path would be created: that of the nearest directory above it that
// exists. If path exists, it is its own.
func Holding(path string) (FileSystem, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return FileSystem{}, err
	}
	for {
		fs, err := Of(path)
		if !errors.Is(err, os.ErrNotExist) || path == filepath.Dir(path) {
			return fs, err
		}
		path = filepath.Dir(path)
	}
}

// Real returns the path of a directory without symbolic links. Where the texts of these lead elsewhere, as that of
// /proc/PID/root does for a process with another root, it returns the path as it is, but absolute.
func Real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	there, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if here, err := os.Stat(real); err == nil && os.SameFile(here, there) {
			return real, nil
		}
	}
	return path, nil
}

// RemoveBusy removes a file or an empty directory, and waits up to a time for the end of what keeps it busy.
func RemoveBusy(path string, within time.Duration) error {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		err := os.Remove(path)
		switch {
		case err == nil, errors.Is(err, os.ErrNotExist):
			return nil
		case !errors.Is(err, syscall.EBUSY) || time.Since(begun) > within:
			return err
		}
	}
}

// Contains reports whether a file of a name would lie in or below a directory.
func Contains(dir, path string) (bool, error) {
	top, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	at, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	for ; ; at = filepath.Dir(at) {
		if fi, err := os.Stat(at); err == nil && os.SameFile(fi, top) {
			return true, nil
		}
		if at == filepath.Dir(at) {
			return false, nil
		}
	}
}

// Allocated returns the space on disk of the files in and below a directory, 0 if it does not exist.
func Allocated(dir string) (bytes int64, err error) {
	dir, err = Real(dir) // WalkDir does not follow links
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return Sum(dir, func(fi os.FileInfo) int64 { return fi.Sys().(*syscall.Stat_t).Blocks * 512 })
}

// Sum adds up what is counted of a directory, which must be no link, and of all that lies below it. What is
// removed meanwhile is left out.
func Sum(dir string, count func(os.FileInfo) int64) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist) && path != dir:
			return nil
		case err != nil:
			return err
		}
		fi, err := d.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil {
			sum += count(fi)
		}
		return err
	})
	return sum, err
}
