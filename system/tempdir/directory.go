// Package tempdir makes directories so that they can be taken back.
package tempdir

import (
	"os"
	"path/filepath"
)

// Made is directories that were made.
type Made struct{ top, dir string }

// Make is os.MkdirAll that remembers what it made. What an error leaves is removed.
func Make(dir string) (Made, error) {
	m := Made{dir: filepath.Clean(dir)}
	for d := m.dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		m.top = d
		if d == filepath.Dir(d) {
			break
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.TakeBack()
		return Made{}, err
	}
	return m, nil
}

// TakeBack removes what was made, as far as it is empty.
func (m Made) TakeBack() {
	if m.top == "" {
		return
	}
	for d := m.dir; ; d = filepath.Dir(d) {
		os.Remove(d)
		if d == m.top {
			return
		}
	}
}
