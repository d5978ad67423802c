// Package tempdir creates directories that are removed again: directories that a failed
// command created and left empty, and locked temporary directories, including those that
// a killed process left behind.
package tempdir

import (
	"os"
	"path/filepath"
)

// Created is a directory with those of its parents that Create created too.
type Created struct{ top, dir string }

// Create creates a directory and its missing parents, and remembers which were missing.
// After an error none of them is left.
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
