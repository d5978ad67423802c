// Package loading is what engines share of a database that is opened for writing:
// how a failure that its library cannot go on from reaches the caller, and when a
// tree has settled.
package loading

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Failures hands on what a library cannot go on from. It is safe for concurrent
// use.
type Failures struct{ failed chan error }

// NewFailures returns a Failures that has none.
func NewFailures() *Failures { return &Failures{failed: make(chan error, 1)} }

// Fail hands on an error that the library cannot go on from; the first counts.
func (f *Failures) Fail(err error) {
	select {
	case f.failed <- err:
	default:
	}
}

// Failed receives the first failure.
func (f *Failures) Failed() <-chan error { return f.failed }

// Halt takes the error of a write, or of making a file, of a database opened for
// writing. One that the device causes is handed on, and the goroutine parked
// for good, because libraries panic on some of them with a lock half released,
// which nothing can recover from (Pebble: db.go, rotateWAL), or try again for ever
// (goleveldb: db_compaction.go, compactionTransact). Other errors are returned as
// they are.
func (f *Failures) Halt(err error) error {
	for _, device := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EFBIG, unix.EROFS} {
		if errors.Is(err, device) {
			f.Fail(err)
			select {}
		}
	}
	return err
}

// UnlessFailed opens a database for writing. An open that the library gives up
// in the middle of does not return: it is left behind.
func UnlessFailed[DB any](f *Failures, open func() (DB, error)) (DB, error) {
	type opened struct {
		db  DB
		err error
	}
	done := make(chan opened, 1)
	go func() {
		db, err := open()
		done <- opened{db, err}
	}()
	select {
	case o := <-done:
		return o.db, o.err
	case err := <-f.failed:
		var none DB
		return none, err
	}
}
