package atomicfile

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

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
	if err := errors.Join(p.stat(&dir), unix.Fstat(int(f.Fd()), &file)); err != nil {
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
