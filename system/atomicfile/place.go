package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

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

func (p *Place) requireOwners() error {
	var dir unix.Stat_t
	if err := p.stat(&dir); err != nil {
		return err
	}
	for _, link := range p.links {
		if link.Uid != dir.Uid {
			return errors.New("it is a symbolic link of another user, or lies behind one")
		}
	}
	return nil
}

// Path leads to the place wherever its directory is moved.
func (p *Place) Path() string { return p.Dir() + "/" + p.name }

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
	err = errors.Join(p.stat(&dir), unix.Fstat(int(f.Fd()), &file))
	if err == nil && file.Nlink > 1 && file.Uid != dir.Uid && int(dir.Uid) != os.Geteuid() && dir.Uid != 0 {
		err = errors.New("another user has linked it there")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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
