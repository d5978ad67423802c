// Package tempdir creates directories and removes them again: those that a failed command
// created and left empty, and locked temporary directories, including those that a killed
// process left behind.
package tempdir

import (
	"os"
	"path/filepath"

	"getio/system/leftover"
)

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
