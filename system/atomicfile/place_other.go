//go:build !linux

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Place is where a file is, or will be: a name in a directory. The directory is reached by its path, in which no links are
// left; only on Linux it is held open.
type Place struct {
	dir   string
	name  string
	links []unix.Stat_t // those of other users that were followed
}

// follow resolves the path name by name, and replaces each link by its target.
func (p *Place) follow(path string) error {
	links, named := 0, true // named: what is left of the path ends with the file, not with the target of a link
	p.dir = "."
	for {
		if strings.HasPrefix(path, "/") {
			p.dir = "/"
		}
		name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
		path = strings.TrimLeft(rest, "/")
		if p.name = name; name == "" {
			return unix.EISDIR
		}
		var st unix.Stat_t
		err := unix.Lstat(p.Path(), &st)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == "" && named:
			return nil
		case errors.Is(err, fs.ErrNotExist) && path == "":
			return errors.New("it is a symbolic link to a missing file")
		case err != nil:
			return err
		case st.Mode&unix.S_IFMT == unix.S_IFLNK:
			target, err := os.Readlink(p.Path())
			if links++; err == nil {
				err = p.pass(links, st)
			}
			if err != nil {
				return err
			}
			named = named && path != ""
			path = target + "/" + path
		case path == "":
			return nil
		default:
			p.dir = filepath.Join(p.dir, name)
		}
	}
}

// Dir is the directory of the place.
func (p *Place) Dir() string { return p.dir }

// Close does nothing: nothing is held.
func (p *Place) Close() error { return nil }

func (p *Place) stat(st *unix.Stat_t) error { return unix.Stat(p.dir, st) }
