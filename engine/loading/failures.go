// Package loading holds what engines share for writing databases: how failures that a
// library cannot recover from reach the caller, and when a tree has settled.
package loading

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Failures passes failures that a library cannot recover from on to the caller. It is safe
// for concurrent use.
type Failures struct{ failed chan error }

// NewFailures returns a Failures without any.
func NewFailures() *Failures { return &Failures{failed: make(chan error, 1)} }

// Fail reports a failure. Only the first is kept.
func (f *Failures) Fail(err error) {
	select {
	case f.failed <- err:
	default:
	}
}

// Failed receives the first failure.
func (f *Failures) Failed() <-chan error { return f.failed }

// Unrecoverable are errors of the device or of the system, after which a load cannot go on.
var Unrecoverable = []syscall.Errno{
	unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EFBIG, unix.EROFS,
	unix.EACCES, unix.EPERM, unix.EMFILE, unix.ENFILE,
}

// Halt takes the error, or nil, of a call on a file. It returns the error unless
// the device or the system caused it. Then it reports the error and blocks the goroutine for ever:
// libraries panic on some of these with a lock half released (Pebble: db.go, rotateWAL), or
// retry without end (goleveldb: db_compaction.go, compactionTransact).
func (f *Failures) Halt(err error) error {
	if slices.ContainsFunc(Unrecoverable, func(cause syscall.Errno) bool { return errors.Is(err, cause) }) {
		f.halt(err)
	}
	return err
}

// halt reports an error and does not return.
func (f *Failures) halt(err error) {
	if errors.Is(err, io.EOF) {
		err = errEndsEarly
	}
	f.Fail(err)
	select {}
}

var errEndsEarly = errors.New("a table that it wrote ends early: check the disk")

// ErrChecksum is the error of reading back a damaged table, which HaltRead takes.
var ErrChecksum = errors.New("a table that it wrote has a block with a wrong checksum: check the disk")

// HaltRead takes the error, or nil, of reading back a table that the library has written. It halts like Halt, also
// at the end of the file and at a wrong checksum: a compaction of Pebble v1 that cannot read leaves keys out without an
// error, and one of goleveldb is tried again without end.
func (f *Failures) HaltRead(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, ErrChecksum) {
		f.halt(err)
	}
	return f.Halt(err)
}

// HaltOpen takes the error, or nil, of opening a table that the library has written. It halts at any error.
func (f *Failures) HaltOpen(err error) error {
	if err != nil {
		f.halt(err)
	}
	return nil
}

// UnlessFailed opens a database for writing. If the library fails, it returns the failure
// and abandons the open, which may never return.
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

// Guard runs work on a library until it returns or the library fails. In the latter case
// work is abandoned, because its calls may never return; it must close the library itself.
func Guard(library interface{ Failed() <-chan error }, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case err := <-library.Failed():
		return fmt.Errorf("the library failed while writing: %w", err)
	}
}
