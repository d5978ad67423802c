package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Place is where a file is, or will be: a name in a directory.
type Place struct {
	dir   directory
	name  string
	links []unix.Stat_t // those of other users that were followed
}

// mostLinks is how many symbolic links the kernel follows on one path.
const mostLinks = 40

// Follow finds the place of a file and follows symbolic links on the way to it. It refuses links of another user, unless
// they lead to a directory of that user: they would have this user write where the other one cannot.
func Follow(path string) (*Place, error) {
	p := &Place{}
	err := p.follow(path)
	if err == nil {
		err = p.requireOwners()
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// follow resolves the path name by name, and replaces each link by its target.
func (p *Place) follow(path string) error {
	links, named := 0, true            // named: what is left of the path ends with the file, not with the target of a link
	if !strings.HasPrefix(path, "/") { // else "." is not needed, and may be closed to this user
		if err := p.dir.open("."); err != nil {
			return err
		}
	}
	for {
		if strings.HasPrefix(path, "/") {
			if err := p.dir.open("/"); err != nil {
				return err
			}
		}
		name, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
		path = strings.TrimLeft(rest, "/")
		if p.name = name; name == "" {
			return unix.EISDIR
		}
		found, err := p.dir.look(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == "" && named:
			return nil
		case errors.Is(err, fs.ErrNotExist) && path == "":
			return errors.New("it is a symbolic link to a missing file")
		case err != nil:
			return err
		case found.stat.Mode&unix.S_IFMT != unix.S_IFLNK && path == "":
			return found.Close()
		case found.stat.Mode&unix.S_IFMT != unix.S_IFLNK:
			p.dir.enter(found)
		case path != "" && p.dir.onProc(): // the link leads to what a process holds open
			found.Close()
			if err := p.dir.open(name); err != nil {
				return err
			}
		default:
			target, err := found.target()
			found.Close()
			if links++; err == nil {
				err = p.pass(links, found.stat)
			}
			if err != nil {
				return err
			}
			named = named && path != ""
			path = target + "/" + path
		}
	}
}

// pass notes the nth link that is followed. It is an error beyond mostLinks of them.
func (p *Place) pass(nth int, link unix.Stat_t) error {
	if nth > mostLinks {
		return unix.ELOOP
	}
	if int(link.Uid) != os.Geteuid() && link.Uid != 0 {
		p.links = append(p.links, link)
	}
	return nil
}

func (p *Place) requireOwners() error {
	var dir unix.Stat_t
	if err := p.dir.stat(&dir); err != nil {
		return err
	}
	for _, link := range p.links {
		if link.Uid != dir.Uid {
			return errors.New("it is a symbolic link of another user, or lies behind one")
		}
	}
	return nil
}

// Dir leads to the directory of the place; on Linux also when it is moved.
func (p *Place) Dir() string { return p.dir.path() }

// Path leads to the place as Dir does to its directory.
func (p *Place) Path() string { return p.Dir() + "/" + p.name }

// Close lets go of the directory.
func (p *Place) Close() error { return p.dir.close() }

// OpenToAppend opens the file for reading and writing, or creates it. It refuses a file that another user may have linked
// into a directory of theirs.
func (p *Place) OpenToAppend() (*os.File, error) {
	const flags = os.O_RDWR | unix.O_NOFOLLOW | unix.O_NONBLOCK
	f, err := p.create(p.Path(), flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(p.Path(), flags, 0)
	}
	if err != nil {
		return nil, Cause(err)
	}
	var dir, file unix.Stat_t
	err = errors.Join(p.dir.stat(&dir), unix.Fstat(int(f.Fd()), &file))
	if err == nil && file.Nlink > 1 && file.Uid != dir.Uid && int(dir.Uid) != os.Geteuid() && dir.Uid != 0 {
		err = errors.New("another user has linked it there")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// create creates a file in the directory of the place. A file that root makes for a user who called sudo, in a directory of
// that user, belongs to that user.
func (p *Place) create(path string, flags int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if err := p.give(f); err != nil {
		f.Close()
		os.Remove(path)
		return nil, err
	}
	return f, nil
}

func (p *Place) give(f *os.File) error {
	user, group, called := sudoUser()
	if !called {
		return nil
	}
	var dir, file unix.Stat_t
	if err := errors.Join(p.dir.stat(&dir), unix.Fstat(int(f.Fd()), &file)); err != nil {
		return err
	}
	if int(dir.Uid) != user || int(file.Uid) == user { // file systems without owners show the same for all files
		return nil
	}
	return f.Chown(user, group)
}

// sudoUser returns the user and the group that called sudo, if root runs this process for them.
func sudoUser() (user, group int, called bool) {
	user, userErr := strconv.Atoi(os.Getenv("SUDO_UID"))
	group, groupErr := strconv.Atoi(os.Getenv("SUDO_GID"))
	return user, group, os.Geteuid() == 0 && userErr == nil && groupErr == nil
}
