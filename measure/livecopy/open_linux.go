package livecopy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"getio/system/filesystem"
)

// Supported returns nil: Linux can link to a file that is held open.
func Supported(string) error { return nil }

// open opens a file of the database. If its name is a link, it must lead to a file of the link's owner, or be root's or the
// user's own: nobody can have root read another user's file.
func (c *Copy) open(name string) (*os.File, error) {
	path := filepath.Join(c.of.Name(), name)
	f, err := c.openNamed(name, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, fmt.Errorf("cannot copy %s: %w", path, err)
	}
	return f, nil
}

// openNamed holds what the name stands for while it looks at it, since the name may stand for something else at any time.
func (c *Copy) openNamed(name, path string) (*os.File, error) {
	held, err := unix.Openat(int(c.of.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(held)
	var named, file unix.Stat_t
	if err := unix.Fstat(held, &named); err != nil {
		return nil, err
	}
	at, to := unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", held)
	isLink := named.Mode&unix.S_IFMT == unix.S_IFLNK
	if isLink {
		at = int(c.of.Fd())
		if to, err = filesystem.Target(held); err != nil {
			return nil, err
		}
	}
	fd, err := unix.Openat(at, to, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), path)
	if err = unix.Fstat(fd, &file); err == nil {
		err = admit(isLink, named, file)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// admit returns an error unless a file may be copied that a name leads to.
func admit(isLink bool, named, file unix.Stat_t) error {
	if file.Mode&unix.S_IFMT != unix.S_IFREG {
		return errors.New("it is not a file")
	}
	if isLink && named.Uid != 0 && int(named.Uid) != os.Geteuid() && named.Uid != file.Uid {
		return errors.New("it leads to a file of another user: stop the process, and open the database itself")
	}
	return nil
}
