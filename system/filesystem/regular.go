package filesystem

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// OpenRegular opens a file for reading. It refuses what is not a file at once, where os.Open would
// wait for the other end of a named pipe.
func OpenRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil {
		err = CheckRegular(path, fi.Mode())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CheckRegular returns an error if a file of this mode is neither a file nor a directory. Symbolic
// links are to be followed before.
func CheckRegular(path string, mode fs.FileMode) error {
	if mode.IsRegular() || mode.IsDir() {
		return nil
	}
	what := "a special file"
	switch {
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return fmt.Errorf("%s is %s, not a file", path, what)
}
