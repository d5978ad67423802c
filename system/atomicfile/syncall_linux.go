package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncAll makes durable what is in a directory: with one call, it writes out the whole file system.
func SyncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Syncfs(int(d.Fd()))
}
