package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"getio/system/filelock"
)

// Every error is one line that names the directory.
func TestErrors(t *testing.T) {
	open := func(err error) error { return Open("Pebble", "/db", err) }
	inspect := func(err error) error { return Inspect("/db", err) }
	read := func(err error) error { return Read("/db", err) }
	checksum := errors.New("checksum\nmismatch")
	for _, c := range []struct {
		err   error
		text  string
		wraps error
	}{
		{open(fmt.Errorf("/db is %w: stop it", filelock.ErrLocked)), "locked by another process", filelock.ErrLocked},
		{open(fmt.Errorf("lock: %w", syscall.EAGAIN)), "locked by another process", filelock.ErrLocked},
		{open(errors.New("pebble: lock held by current process")), "locked by another process", filelock.ErrLocked},
		{open(fmt.Errorf("write: %w", syscall.ENOSPC)), "no space left", syscall.ENOSPC},
		{open(&fs.PathError{Op: "open", Path: "/db/x", Err: fs.ErrPermission}), "a user with permission", nil},
		{open(fmt.Errorf("open: %w", syscall.EMFILE)), "limit of open files", nil},
		{open(errors.New("manifest is\n\tcorrupt:\n  page 7")), "manifest is corrupt: page 7", nil},
		{open(errors.New(strings.Repeat("missing table ", 1000))), "restore it from a copy", nil},
		{inspect(errors.New("bad\nfooter")), "/db is damaged", nil},
		{read(fmt.Errorf("table 7: %w", io.ErrUnexpectedEOF)), "table 7: a file ends early", io.ErrUnexpectedEOF},
		{read(checksum), "/db cannot be read (checksum mismatch)", checksum},
		{Denied("remove", "/db/000001.sst"), "remove /db/000001.sst", nil},
	} {
		if text := c.err.Error(); !strings.Contains(text, c.text) || !strings.Contains(text, "/db") || strings.Contains(text, "\n") || len(text) > 500 {
			t.Errorf("%s, want %s", text, c.text)
		}
		if c.wraps != nil && !errors.Is(c.err, c.wraps) {
			t.Errorf("%v does not wrap %v", c.err, c.wraps)
		}
	}
	if err := inspect(fmt.Errorf("reading: %w", context.Canceled)); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "damaged") {
		t.Errorf("a cancelled inspection: %v", err)
	}
}
