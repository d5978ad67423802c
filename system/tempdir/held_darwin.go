package tempdir

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// whereIs returns the present path of an open directory (fcntl(2), F_GETPATH).
func whereIs(dir *os.File) (string, error) {
	path := make([]byte, unix.PathMax)
	_, _, errno := unix.Syscall(unix.SYS_FCNTL, dir.Fd(), unix.F_GETPATH, uintptr(unsafe.Pointer(&path[0])))
	if errno != 0 {
		return "", errno
	}
	return unix.ByteSliceToString(path), nil
}

// held returns the name: macOS has no path that leads to an open directory whatever its name is.
func held(_ *os.File, name string) string { return name }

// openRoot opens a directory that is held open as a root: the one at its present path, if it is still that.
func openRoot(dir *os.File) (*os.Root, error) {
	path, err := whereIs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	want, err := dir.Stat()
	if err == nil {
		var is os.FileInfo
		if is, err = root.Stat("."); err == nil && !os.SameFile(want, is) {
			err = errors.New(path + " was replaced meanwhile")
		}
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}
