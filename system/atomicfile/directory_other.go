//go:build !linux

package atomicfile

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// directory is reached by its path, in which no links are left; only on Linux it is held open.
type directory struct{ name string }

// entry is what has a path; not what it leads to if it is a link.
type entry struct {
	name string
	stat unix.Stat_t
}

func (d *directory) open(path string) error {
	d.name = path
	return nil
}

func (d *directory) enter(to entry) { d.name = filepath.Clean(to.name) }

func (d *directory) look(name string) (found entry, err error) {
	found.name = d.name + "/" + name
	return found, unix.Lstat(found.name, &found.stat)
}

func (e entry) target() (string, error) { return os.Readlink(e.name) }

func (entry) Close() error { return nil }

func (d *directory) onProc() bool { return false }

func (d *directory) path() string { return d.name }

func (d *directory) stat(st *unix.Stat_t) error { return unix.Stat(d.name, st) }

func (d *directory) close() error { return nil }

// SyncAll makes durable what is in a directory, file by file.
func SyncAll(dir string) error { return SyncTree(dir) }
