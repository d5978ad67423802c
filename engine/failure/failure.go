// Package failure turns the errors of libraries and the system into one sentence that says
// what was wrong with a database and what to do.
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

// Open returns the error for a database in dir that does not open as one of the given kind,
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
		return fmt.Errorf("%s cannot be opened (%w): free space on its file system", dir, syscall.ENOSPC)
	}
	if system := systemError(dir, err); system != nil {
		return system
	}
	return fmt.Errorf("%s cannot be opened as a %s database (%s): if it is damaged, restore it from a copy", dir, kind, text)
}

// Unsupported says what of an intact database its library here cannot read.
type Unsupported string

func (u Unsupported) Error() string { return string(u) }

// Inspect returns the error for a database in dir whose tables cannot be inspected.
func Inspect(dir string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if system := systemError(dir, err); system != nil {
		return system
	}
	if unsupported := Unsupported(""); errors.As(err, &unsupported) {
		return fmt.Errorf("%s is not supported: %s", dir, oneLine(err))
	}
	return fmt.Errorf("%s is damaged or has tables of an unknown format (%s): restore it from a copy", dir, oneLine(err))
}

// Read returns the error for a read of the database in dir. It wraps err.
func Read(dir string, err error) error { return &readError{dir, err} }

type readError struct {
	dir string
	err error
}

func (r *readError) Error() string {
	if system := systemError(r.dir, r.err); system != nil {
		return system.Error()
	}
	return fmt.Sprintf("%s cannot be read (%s): if it is damaged, restore it from a copy", r.dir, oneLine(r.err))
}
func (r *readError) Unwrap() error { return r.err }

// Write returns the error for a library that failed while it wrote a database. It wraps err.
func Write(err error) error { return &writeError{err} }

type writeError struct{ err error }

func (w *writeError) Error() string { return "the library failed while writing: " + oneLine(w.err) }
func (w *writeError) Unwrap() error { return w.err }

// Denied returns the error for a write to a database that was opened for reading.
func Denied(what, name string) error {
	return fmt.Errorf("refused to %s %s: the database is opened read-only", what, name)
}

// systemError returns an error for what the process may not do, or nil if the database is to blame.
func systemError(dir string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be opened (%s): run getio as a user with permission, or work on a copy", dir, oneLine(err))
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s cannot be written (%s): work on a copy", dir, oneLine(err))
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%s has more tables than this process may have open files (%s): raise the limit of open files (ulimit -n)", dir, oneLine(err))
	}
	return nil
}

// maxText bounds a library's text in a sentence: about a database without tables, the
// libraries name every one.
const maxText = 300

// corruptionMark is what Pebble v2 writes into the text of errors that carry details.
const corruptionMark = "<corruption detail carrier>"

// earlyEnd replaces Go's words for a file that is shorter than it should be.
var earlyEnd = strings.NewReplacer("unexpected EOF", "a file ends early", "EOF", "a file ends early")

func oneLine(err error) string { return OneLine(err.Error()) }

// OneLine returns a library's text as part of a sentence.
func OneLine(text string) string {
	text = strings.ReplaceAll(text, corruptionMark, "")
	text = earlyEnd.Replace(strings.Join(strings.Fields(text), " "))
	if len(text) > maxText {
		text = text[:maxText] + " ..."
	}
	return text
}
