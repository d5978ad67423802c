// Package tempdir creates directories and removes them again: those that a failed command
// created and left empty, and locked temporary directories, including those that a killed
// process left behind.
package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"getio/system/leftover"
)

// RequireTrusted returns an error if the directory, or the one above it that exists, belongs to another user, or lies below
// a directory that does: that user could put another one in its place while files are written there by name. Those of a
// group are trusted to the group.
func RequireTrusted(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	for (errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR)) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		real, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return err
	}
	for ; ; real = filepath.Dir(real) {
		var st unix.Stat_t
		if err := unix.Lstat(real, &st); err != nil {
			return err
		}
		if int(st.Uid) != os.Geteuid() && st.Uid != 0 {
			return fmt.Errorf("%s belongs to user %d, who could replace it meanwhile: run getio as that user, or choose another directory", real, st.Uid)
		}
		if real == filepath.Dir(real) {
			return nil
		}
	}
}

// Created holds a directory and its parents, as far as Create created them. If the command is abandoned, those that are
// empty are removed.
type Created struct {
	top, dir string
	created  *leftover.Thing
}

// Create creates a directory and its missing parents, and remembers which it created. If it
// fails, it removes them again.
func Create(dir string) (c Created, err error) {
	t, err := leftover.Create(func() (func() error, error) {
		c, err = create(dir)
		return c.removeEmpty, err
	})
	c.created = t
	return c, err
}

func create(dir string) (Created, error) {
	c := Created{dir: filepath.Clean(dir)}
	if err := RequireTrusted(c.dir); err != nil {
		return Created{}, err
	}
	for d := c.dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		c.top = d
		if d == filepath.Dir(d) {
			break
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		c.removeEmpty()
		return Created{}, err
	}
	return c, nil
}

// RemoveEmpty removes the created directories that are empty.
func (c Created) RemoveEmpty() {
	if c.created != nil {
		c.created.Remove()
	}
}

// Keep leaves the directories where they are: something in them is kept.
func (c Created) Keep() { c.created.Keep() }

func (c Created) removeEmpty() error {
	for d := c.dir; c.top != ""; d = filepath.Dir(d) {
		os.Remove(d)
		if d == c.top {
			break
		}
	}
	return nil
}
