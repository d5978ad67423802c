package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Dir is a temporary directory. Its lock distinguishes it from a directory that a killed
// process left behind.
type Dir struct {
	Path string
	Lock *os.File // locked until every process that has it open closes it
}

// New creates a temporary directory in another one. Its name begins with prefix.
func New(in, prefix string) (*Dir, error) {
	for {
		dir, err := os.MkdirTemp(in, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := os.Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process removed it as abandoned before it was locked
		}
		if err != nil {
			os.Remove(dir)
			return nil, err
		}
		// Without file locks, no directory ever counts as abandoned.
		unix.Flock(int(lock.Fd()), unix.LOCK_EX)
		if _, err := os.Stat(dir); err != nil {
			lock.Close()
			continue
		}
		return &Dir{Path: dir, Lock: lock}, nil
	}
}

// Remove removes the directory and its contents.
func (d *Dir) Remove() error {
	return errors.Join(os.RemoveAll(d.Path), d.Lock.Close())
}

// RemoveAbandoned removes directories with the prefix that killed processes left behind. It
// returns the names of those still in use.
func RemoveAbandoned(in, prefix string) (used []string, err error) {
	return RemoveAbandonedAfter(in, prefix, func(string) error { return nil })
}

// RemoveAbandonedAfter is like RemoveAbandoned, but calls undo before it removes a directory, to
// revert other effects of its process, such as mounts. If undo fails, the directory stays.
func RemoveAbandonedAfter(in, prefix string, undo func(dir string) error) (used []string, err error) {
	entries, err := os.ReadDir(in)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		switch abandoned, err := removeIfAbandoned(filepath.Join(in, e.Name()), undo); {
		case err != nil:
			return nil, err
		case !abandoned:
			used = append(used, e.Name())
		}
	}
	return used, nil
}

func removeIfAbandoned(dir string, undo func(dir string) error) (abandoned bool, err error) {
	lock, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // its process has just removed it
	}
	if err != nil {
		return false, fmt.Errorf("cannot open %s, which another getio left (%w): remove it", dir, err)
	}
	defer lock.Close()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false, nil
	}
	if err := undo(dir); err != nil {
		return false, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return false, fmt.Errorf("cannot remove %s, which a killed getio left (%w): remove it", dir, err)
	}
	return true, nil
}
