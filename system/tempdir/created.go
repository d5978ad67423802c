// Package tempdir creates directories and removes them again: those that a failed command
// created and left empty, and locked temporary directories, including those that a killed
// process left behind.
package tempdir

import (
	"os"
	"path/filepath"
)

// Created holds a directory and its parents, as far as Create created them.
type Created struct{ top, dir string }

// Create creates a directory and its missing parents, and remembers which it created. If it
// fails, it removes them again.
func Create(dir string) (Created, error) {
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
	if err := os.MkdirAll(dir, 0o755); err != nil {
		c.RemoveEmpty()
		return Created{}, err
	}
	return c, nil
}

// RemoveEmpty removes the created directories that are empty.
func (c Created) RemoveEmpty() {
	if c.top == "" {
		return
	}
	for d := c.dir; ; d = filepath.Dir(d) {
		os.Remove(d)
		if d == c.top {
			return
		}
	}
}
