package pebbledb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// OpenError says in one sentence why a database does not open.
func OpenError(dir string, err error) error {
	text := oneLine(err)
	switch {
	case errors.Is(err, ErrLocked):
		return err
	case errors.Is(err, syscall.EAGAIN), strings.Contains(text, "lock held by current process"),
		strings.Contains(text, "resource temporarily unavailable"):
		return lockedError(dir)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s cannot be opened: %w", dir, syscall.ENOSPC)
	}
	if limited := lacks(dir, err); limited != nil {
		return limited
	}
	return fmt.Errorf("%s cannot be opened as a Pebble database (%s): if it is damaged, restore it from a copy", dir, text)
}

// lockedError refuses a database that another process has open.
func lockedError(dir string) error {
	return fmt.Errorf("%s is %w: stop that process, or work on a copy, which inspect, measure and advise make of a client's database with --live", dir, ErrLocked)
}

// TableError says in one sentence why a database's tables cannot be looked at.
func TableError(dir string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if limited := lacks(dir, err); limited != nil {
		return limited
	}
	return fmt.Errorf("%s is damaged, or has tables that getio does not know (%s): restore it from a copy", dir, oneLine(err))
}

// ReadError adds to the error of a Get where it happened.
func ReadError(dir string, err error) error { return &readError{dir, err} }

type readError struct {
	dir string
	err error
}

func (r *readError) Error() string {
	if limited := lacks(r.dir, r.err); limited != nil {
		return limited.Error()
	}
	return r.dir + ": " + oneLine(r.err) + ": if it is damaged, restore it from a copy"
}
func (r *readError) Unwrap() error { return r.err }

// lacks is the error for what is wrong with the process and not with the
// database, or nil.
func lacks(dir string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be opened (%s): run getio as a user who may, or work on a copy", dir, oneLine(err))
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s cannot be written (%s): work on a copy", dir, oneLine(err))
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%s has more tables than may be open here (%s): raise the limit of open files", dir, oneLine(err))
	}
	return nil
}

// maxText is how much of a library's words a sentence takes: of a database
// without any of its tables, the libraries name every one.
const maxText = 300

// corruptionMark is what v2 puts into a text to carry details that no text
// shows.
const corruptionMark = "<corruption detail carrier>"

func oneLine(err error) string {
	text := strings.ReplaceAll(err.Error(), corruptionMark, "")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxText {
		text = text[:maxText] + " ..."
	}
	return text
}
