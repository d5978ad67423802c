package loopdisk

import (
	"errors"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// newImage creates an unnamed file, which the kernel removes once no process has it open.
func newImage(in string, bytes int64) (*os.File, error) {
	fd, err := unix.Open(in, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR):
		return nil, fmt.Errorf("the file system of %s does not support unnamed files, which a private disk needs: choose a directory on ext4, XFS or tmpfs", in)
	case err != nil:
		return nil, fmt.Errorf("cannot make a private disk in %s (%w): choose a writable directory", in, err)
	}
	image := os.NewFile(uintptr(fd), in)
	// Allocate all space now, so that a full disk is not reported later as some other error.
	if err = unix.Fallocate(fd, 0, 0, bytes); err == nil {
		return image, nil
	}
	image.Close()
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EFBIG) || errors.Is(err, unix.EDQUOT) {
		var st unix.Statfs_t
		unix.Statfs(in, &st)
		return nil, fmt.Errorf("%s has no room for a private disk of %s (%s are free): choose a smaller size, or a directory with more room", in, humanize.IBytes(uint64(bytes)), humanize.IBytes(st.Bavail*uint64(st.Bsize)))
	}
	return nil, fmt.Errorf("cannot allocate a private disk in %s (%w): choose a directory on ext4, XFS or tmpfs", in, err)
}
