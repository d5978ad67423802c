package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"getio/dataset"
)

// requireEmpty refuses a directory with anything in it.
func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is a file, or lies below one: choose a directory that does not exist yet", dir)
	case err != nil:
		return fmt.Errorf("cannot open %s: %w", dir, err)
	}
	var first string
	for _, e := range entries {
		// A tree without a manifest is what a build left that was killed at once.
		if first == "" && !temporary(e.Name()) && e.Name() != dataset.TreeName {
			first = e.Name()
		}
	}
	if first == "" {
		return nil
	}
	switch m, err := dataset.Read(dir); {
	case err != nil:
		return fmt.Errorf("%s is not empty (it holds %s): choose a directory that does not exist yet", dir, first)
	case m.Complete:
		return fmt.Errorf("%s already holds a complete dataset of %d keys: choose another directory, or remove it", dir, m.Keys)
	default:
		return fmt.Errorf("%s holds a dataset whose load did not finish: resume with 'getio load %s --resume', or remove it", dir, dir)
	}
}

// temporary tells the files that writing a manifest leaves behind when it is
// killed.
func temporary(name string) bool {
	return strings.HasPrefix(name, dataset.ManifestName+".") && strings.HasSuffix(name, ".tmp")
}

func removeTemporary(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if temporary(e.Name()) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// clearDatabase removes the database's files, and leaves the manifest.
func (j *Job) clearDatabase() {
	dir := j.Manifest.DBDir(j.Dir)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != dataset.ManifestName {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	if filepath.Clean(dir) != filepath.Clean(j.Dir) {
		os.Remove(dir)
	}
}
