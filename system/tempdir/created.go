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
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"getio/system/leftover"
)

// RequireTrusted returns an error if another user could put another directory in the place of one on the way to dir, while
// files are written there by name: it, or a link on the way, belongs to another user, or all users may rename what is in it.
// What does not exist yet is not looked at. Directories of a group are trusted to the group.
func RequireTrusted(dir string) error {
	if !filepath.IsAbs(dir) {
		work, err := os.Getwd()
		if err != nil {
			return err
		}
		dir = work + "/" + dir // not cleaned: .. behind a link is above what the link leads to
	}
	return requireTrusted(dir, mostLinks)
}

// mostLinks is how many links the kernel follows in one path (MAXSYMLINKS).
const mostLinks = 40

// requireTrusted looks at each directory of an absolute path, from the root on, and at those that links lead to.
func requireTrusted(path string, links int) error {
	at := "/"
	names := append([]string{""}, strings.Split(path, "/")...)
	for i, name := range names {
		in := at
		at = filepath.Join(in, name)
		var st unix.Stat_t
		switch err := unix.Lstat(at, &st); {
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
			if slices.Contains(names[i+1:], "..") {
				return fmt.Errorf("%s does not exist, so the .. after it means nothing: write the path without ..", at)
			}
			return nil
		case err != nil:
			return &fs.PathError{Op: "lstat", Path: at, Err: err}
		case int(st.Uid) != os.Geteuid() && st.Uid != 0:
			return fmt.Errorf("%s belongs to user %d, who could replace it meanwhile: run getio as that user, or choose another directory", at, st.Uid)
		case st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Mode&(unix.S_IWOTH|unix.S_ISVTX) == unix.S_IWOTH:
			return fmt.Errorf("all users may replace what is in %s: run chmod o-w or chmod +t on it, or choose another directory", at)
		case st.Mode&unix.S_IFMT != unix.S_IFLNK:
			continue
		case links == 0:
			return &fs.PathError{Op: "open", Path: at, Err: unix.ELOOP}
		}
		target, err := os.Readlink(at)
		if err != nil {
			return err
		}
		if !filepath.IsAbs(target) {
			target = in + "/" + target
		}
		if err := requireTrusted(target, links-1); err != nil {
			return err
		}
		if at, err = filepath.EvalSymlinks(at); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// MakeTrusted makes a directory and its missing parents, and requires that they are trusted, also after they were made.
func MakeTrusted(dir string, mode os.FileMode) error {
	if err := RequireTrusted(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	return RequireTrusted(dir)
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
	if err := RequireTrusted(dir); err != nil {
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
	if err := MakeTrusted(dir, 0o777); err != nil {
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
