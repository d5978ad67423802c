package loopdisk

import (
	"errors"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// newImage makes a file of a size that has no name: it is gone as soon as nobody has it
// open, however its processes end.
func newImage(in string, bytes int64) (*os.File, error) {
	fd, err := unix.Open(in, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR):
		return nil, fmt.Errorf("the file system of %s has no files without a name, which a private disk is kept in: name a directory on ext4, XFS or tmpfs", in)
	case err != nil:
		return nil, fmt.Errorf("no private disk can be kept in %s (%w): name a directory that can be written", in, err)
	}
	image := os.NewFile(uintptr(fd), in)
	// All of its space is taken now: a disk that is full later would be another error.
	switch err := unix.Fallocate(fd, 0, 0, bytes); {
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EFBIG) || errors.Is(err, unix.EDQUOT):
		image.Close()
		return nil, fmt.Errorf("%s has no room for a private disk of %s (%s are free): name a smaller size, or a directory with more room", in, humanize.IBytes(uint64(bytes)), humanize.IBytes(free(in)))
	case err != nil:
		image.Close()
		return nil, fmt.Errorf("no room can be taken for a private disk in %s (%w): name a directory on ext4, XFS or tmpfs", in, err)
	}
	return image, nil
}

func free(dir string) uint64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0
	}
	return st.Bavail * uint64(st.Bsize)
}
