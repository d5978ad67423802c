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

// Temporary is a directory that is to be removed again. It is locked, so that one that a
// killed process left is told from one that is in use.
type Temporary struct {
	Dir string
	// Lock holds the lock as long as it is open in any process.
	Lock *os.File
}

// MakeTemporary makes a directory in another, of a name that begins with a prefix.
func MakeTemporary(in, prefix string) (*Temporary, error) {
	for {
		dir, err := os.MkdirTemp(in, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := os.Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process took it for abandoned before it was locked
		}
		if err != nil {
			os.Remove(dir)
			return nil, err
		}
		// Where the file system has no locks, nothing is ever taken for abandoned.
		unix.Flock(int(lock.Fd()), unix.LOCK_EX)
		if _, err := os.Stat(dir); err != nil {
			lock.Close()
			continue
		}
		return &Temporary{Dir: dir, Lock: lock}, nil
	}
}

// Remove removes it with all that is in it.
func (t *Temporary) Remove() error {
	return errors.Join(os.RemoveAll(t.Dir), t.Lock.Close())
}

// RemoveAbandoned removes what killed processes left in a directory under names that
// begin with a prefix, and returns the names of those in use.
func RemoveAbandoned(in, prefix string) (used []string, err error) {
	return UndoAbandoned(in, prefix, func(string) error { return nil })
}

// UndoAbandoned is RemoveAbandoned of directories that stand for more than their files.
// Before one is removed, undo takes back what else its process made; if it cannot, the
// directory stays.
func UndoAbandoned(in, prefix string, undo func(dir string) error) (used []string, err error) {
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
		return true, nil // its process was quicker
	}
	if err != nil {
		return false, fmt.Errorf("%s, which another getio left, cannot be looked into (%w): remove it", dir, err)
	}
	defer lock.Close()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false, nil
	}
	if err := undo(dir); err != nil {
		return false, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return false, fmt.Errorf("%s, which a killed getio left, cannot be removed (%w): remove it", dir, err)
	}
	return true, nil
}
