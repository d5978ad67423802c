package failure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"getio/system/filelock"
)

func TestOpenErrorsAreOneSentenceThatNamesTheDirectory(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		says string
		is   error
	}{
		"locked already":       {fmt.Errorf("/db is %w: stop it", filelock.ErrLocked), "locked by another process", filelock.ErrLocked},
		"locked, as POSIX":     {fmt.Errorf("lock: %w", syscall.EAGAIN), "locked by another process", filelock.ErrLocked},
		"locked by ourselves":  {errors.New("pebble: lock held by current process"), "locked by another process", filelock.ErrLocked},
		"full":                 {fmt.Errorf("write: %w", syscall.ENOSPC), "no space left", syscall.ENOSPC},
		"not allowed":          {&fs.PathError{Op: "open", Path: "/db/x", Err: fs.ErrPermission}, "a user who may", nil},
		"too many files":       {fmt.Errorf("open: %w", syscall.EMFILE), "limit of open files", nil},
		"several lines":        {errors.New("manifest is\n\tcorrupt:\n  page 7"), "manifest is corrupt: page 7", nil},
		"longer than anything": {errors.New(strings.Repeat("missing table ", 1000)), "restore it from a copy", nil},
	} {
		err := Open("Pebble", "/db", c.err)
		if text := err.Error(); !strings.Contains(text, c.says) || !strings.Contains(text, "/db") || strings.Contains(text, "\n") || len(text) > 500 {
			t.Errorf("%s: %s", name, text)
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v does not wrap %v", name, err, c.is)
		}
	}
}

func TestCancelledLookIsNoDamage(t *testing.T) {
	if err := Inspect("/db", fmt.Errorf("reading: %w", context.Canceled)); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	if err := Inspect("/db", errors.New("bad\nfooter")); !strings.Contains(err.Error(), "/db is damaged") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestReadErrorKeepsItsCause(t *testing.T) {
	cause := errors.New("checksum\nmismatch")
	if err := Read("/db", cause); !errors.Is(err, cause) || !strings.HasPrefix(err.Error(), "/db: checksum mismatch") {
		t.Errorf("error %v", err)
	}
}

func TestDeniedWriteNamesWhatWasDenied(t *testing.T) {
	if err := Denied("remove", "/db/000001.sst"); !strings.Contains(err.Error(), "remove /db/000001.sst") {
		t.Errorf("error %v", err)
	}
}
