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

	"getio/engine/failure"
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
		f.failAndBlock(err)
	}
	return err
}

// failAndBlock reports a failure and does not return.
func (f *Failures) failAndBlock(err error) {
	f.Fail(err)
	select {}
}

// ErrChecksum reports a block of a table whose checksum is wrong.
var ErrChecksum = errors.New("has a block with a wrong checksum")

// HaltRead is Halt for reads of a table that the library has written. It also halts at io.EOF and ErrChecksum: a
// compaction of Pebble v1 that cannot read leaves keys out without an error, and one of goleveldb is tried again
// without end.
func (f *Failures) HaltRead(table string, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		f.failAndBlock(fmt.Errorf("table %s ends early: check the disk", table))
	case errors.Is(err, ErrChecksum):
		f.failAndBlock(fmt.Errorf("table %s %w: check the disk", table, err))
	}
	return f.Halt(err)
}

// HaltOpen is Halt for opening a table that the library has written. It halts at any error.
func (f *Failures) HaltOpen(err error) {
	if err != nil {
		f.failAndBlock(err)
	}
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
		return failure.Write(err)
	}
}
