package atomicfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"getio/system/filesystem"
)

// directory is held open, so that nobody can put another one in its place. It is nil at first.
type directory struct{ file *os.File }

// entry is what has a name in a directory, held open; not what it leads to if it is a link.
type entry struct {
	*os.File
	stat unix.Stat_t
}

// open goes to a directory by its path from here, and follows links.
func (d *directory) open(path string) error {
	at := unix.AT_FDCWD
	if d.file != nil {
		at = int(d.file.Fd())
	}
	fd, err := unix.Openat(at, path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		d.enter(entry{File: os.NewFile(uintptr(fd), path)})
	}
	return err
}

// enter goes to a directory in this one.
func (d *directory) enter(to entry) {
	d.close()
	d.file = to.File
}

// look opens what has a name in the directory, but does not follow it.
func (d *directory) look(name string) (found entry, err error) {
	fd, err := unix.Openat(int(d.file.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return entry{}, err
	}
	found.File = os.NewFile(uintptr(fd), name)
	if err := unix.Fstat(fd, &found.stat); err != nil {
		return entry{}, errors.Join(err, found.Close())
	}
	return found, nil
}

func (e entry) target() (string, error) { return filesystem.Target(int(e.Fd())) }

func (d *directory) onProc() bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(d.file.Fd()), &st) == nil && st.Type == unix.PROC_SUPER_MAGIC
}

func (d *directory) path() string { return fmt.Sprintf("/proc/self/fd/%d", d.file.Fd()) }

func (d *directory) stat(st *unix.Stat_t) error { return unix.Fstat(int(d.file.Fd()), st) }

func (d *directory) close() error {
	if d.file == nil {
		return nil
	}
	return d.file.Close()
}

// SyncAll makes durable what is in a directory: with one call, it writes out the whole file system.
func SyncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Syncfs(int(d.Fd()))
}
