package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"getio/system/filesystem"
)

// Place is where a file is, or will be: a name in a directory that is held open, so that nobody can put another directory
// in its place.
type Place struct {
	dir   *os.File
	name  string
	links []unix.Stat_t // those of other users that were followed
}

func (p *Place) follow(path string) error {
	links, named := 0, true // named: what is left of the path ends with the file, not with the target of a link
	for {
		if p.dir == nil || strings.HasPrefix(path, "/") {
			start := "."
			if strings.HasPrefix(path, "/") {
				start = "/"
			}
			if err := p.enter(os.OpenFile(start, unix.O_PATH|unix.O_DIRECTORY, 0)); err != nil {
				return err
			}
		}
		name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
		path = strings.TrimLeft(rest, "/")
		if p.name = name; name == "" {
			return unix.EISDIR
		}
		found, st, err := p.look(name)
		if errors.Is(err, fs.ErrNotExist) && path == "" && named {
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) && path == "" {
			return errors.New("it is a symbolic link to a missing file")
		}
		if err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT == unix.S_IFLNK && path != "" && onProc(p.dir) { // leads to what a process holds open
			found.Close()
			fd, err := unix.Openat(int(p.dir.Fd()), name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err == nil {
				err = p.enter(os.NewFile(uintptr(fd), name), nil)
			}
			if err != nil {
				return err
			}
			continue
		}
		if st.Mode&unix.S_IFMT == unix.S_IFLNK {
			target, err := filesystem.Target(int(found.Fd()))
			found.Close()
			if links++; err == nil {
				err = p.pass(links, st)
			}
			if err != nil {
				return err
			}
			named = named && path != ""
			path = target + "/" + path
			continue
		}
		if path == "" {
			return found.Close()
		}
		if err := p.enter(found, nil); err != nil {
			return err
		}
	}
}

// look opens what has a name in the directory, but does not follow it.
func (p *Place) look(name string) (found *os.File, st unix.Stat_t, err error) {
	fd, err := unix.Openat(int(p.dir.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, st, err
	}
	found = os.NewFile(uintptr(fd), filepath.Join(p.dir.Name(), name))
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, st, errors.Join(err, found.Close())
	}
	return found, st, nil
}

func onProc(dir *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(dir.Fd()), &st) == nil && st.Type == unix.PROC_SUPER_MAGIC
}

// enter makes a directory that of the place.
func (p *Place) enter(dir *os.File, err error) error {
	if err != nil {
		return err
	}
	p.Close()
	p.dir = dir
	return nil
}

// Dir is the directory of the place, wherever it is moved.
func (p *Place) Dir() string { return fmt.Sprintf("/proc/self/fd/%d", p.dir.Fd()) }

// Close lets go of the directory.
func (p *Place) Close() error {
	if p.dir == nil {
		return nil
	}
	return p.dir.Close()
}

func (p *Place) stat(st *unix.Stat_t) error { return unix.Fstat(int(p.dir.Fd()), st) }
