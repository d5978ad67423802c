package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"getio/client/chaindata"
	"getio/engine"
	"getio/system/filesystem"
	"getio/workload/dataset"
)

// Locate returns the manifest that describes dir: the one in dir, or that of the dataset whose
// database is dir, also through symbolic links. It returns nil if there is none.
func Locate(dir string) (root string, m *dataset.Manifest, err error) {
	if err := requireDirectory(dir); err != nil {
		return dir, nil, err
	}
	m, err = dataset.Read(dir)
	if !errors.Is(err, dataset.ErrNoManifest) {
		return dir, m, err
	}
	for _, parent := range parents(dir) {
		m, err := dataset.Read(parent)
		switch {
		case err == nil && same(m.DBDir(parent), dir):
			return parent, m, nil
		case err != nil && !errors.Is(err, dataset.ErrNoManifest) && same(filepath.Join(parent, defaultDB), dir):
			return dir, nil, err // it may be an incomplete dataset
		}
	}
	return dir, nil, nil
}

// defaultDB is the default name of a dataset's database.
var defaultDB = filepath.Base((&dataset.Manifest{}).DBDir(""))

// parents returns the directories above dir, before and after resolving symbolic links.
func parents(dir string) (above []string) {
	switch base := filepath.Base(filepath.Clean(dir)); base {
	case ".", "..": // the name does not show the parent
	default:
		above = append(above, filepath.Dir(filepath.Clean(dir)))
	}
	if real, err := filesystem.Real(dir); err == nil {
		above = append(above, filepath.Dir(real))
	}
	return above
}

// same reports whether two names refer to the same directory.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func requireDirectory(dir string) error {
	switch fi, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: name a dataset or a database directory", dir)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("a part of the path %s is a file, not a directory: name a dataset or a database directory", dir)
	case errors.Is(err, fs.ErrPermission):
		return unreadable(dir)
	case err != nil:
		return fmt.Errorf("cannot examine %s: %w", dir, err)
	case !fi.IsDir():
		return fmt.Errorf("%s is a file: name the directory that holds the dataset or the database", dir)
	case unix.Access(dir, unix.R_OK|unix.X_OK) != nil:
		return unreadable(dir)
	}
	return nil
}

func unreadable(dir string) error {
	return fmt.Errorf("this user may not read %s: run getio as root or as the user of the client, or work on a copy", dir)
}

// ClientDatabase returns the directory of the database in a client's data directory, or dir.
func ClientDatabase(engines engine.Registry, dir string) string {
	if _, _, err := engines.Recognise(dir); !errors.Is(err, engine.ErrNoDatabase) {
		return dir
	}
	for _, below := range chaindata.Below {
		if inside := filepath.Join(dir, below); requireDirectory(inside) == nil {
			return inside
		}
	}
	return dir
}

// RequireComplete returns an error if the load of the dataset did not finish.
func RequireComplete(root string, m *dataset.Manifest) error {
	if !m.Complete {
		return fmt.Errorf("the load of %s did not finish: resume with 'getio load %s --resume', or remove it", root, root)
	}
	return nil
}
