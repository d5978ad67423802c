package pebbledb

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Halt takes the error of a write, or of making a file, of a database opened for
// writing. One that the device causes is handed on, and the goroutine parked
// for good, because the libraries panic on some of them with a lock half
// released, which nothing can recover from (Pebble: db.go, rotateWAL). Other
// errors are returned as they are.
func (l *Logger) Halt(err error) error {
	for _, device := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EFBIG, unix.EROFS} {
		if errors.Is(err, device) {
			l.Fail(err)
			select {}
		}
	}
	return err
}
