// Package failure says in one sentence what went wrong with a database, and what
// the way out is, whatever the library's own words are.
package failure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"getio/system/filelock"
)

// Open is the error for a database that does not open as one of the given kind,
// such as Pebble.
func Open(kind, dir string, err error) error {
	text := oneLine(err)
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return err
	case errors.Is(err, syscall.EAGAIN), strings.Contains(text, "lock held by current process"),
		strings.Contains(text, "resource temporarily unavailable"):
		return filelock.Locked(dir)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s cannot be opened: %w", dir, syscall.ENOSPC)
	}
	if limited := lacks(dir, err); limited != nil {
		return limited
	}
	return fmt.Errorf("%s cannot be opened as a %s database (%s): if it is damaged, restore it from a copy", dir, kind, text)
}

// Inspect is the error for a database whose tables cannot be looked at.
func Inspect(dir string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if limited := lacks(dir, err); limited != nil {
		return limited
	}
	return fmt.Errorf("%s is damaged, or has tables that getio does not know (%s): restore it from a copy", dir, oneLine(err))
}

// Read adds to the error of a Get where it happened.
func Read(dir string, err error) error { return &readError{dir, err} }

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

// corruptionMark is what Pebble v2 puts into a text to carry details that no text
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
