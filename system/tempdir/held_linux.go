package tempdir

import (
	"fmt"
	"os"
)

// whereIs returns the present path of an open directory.
func whereIs(dir *os.File) (string, error) {
	return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()))
}

// held returns a path that leads to an open directory whatever its name is.
func held(dir *os.File, _ string) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), dir.Fd()) }

// openRoot opens a directory that is held open as a root.
func openRoot(dir *os.File) (*os.Root, error) {
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()))
}
