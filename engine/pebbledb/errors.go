package pebbledb

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// OpenError says in one sentence why a database does not open.
func OpenError(dir string, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	switch {
	case errors.Is(err, ErrLocked):
		return err
	case errors.Is(err, syscall.EAGAIN), strings.Contains(text, "lock held by current process"),
		strings.Contains(text, "resource temporarily unavailable"):
		return fmt.Errorf("%s is %w: stop that process, or work on a copy", dir, ErrLocked)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s cannot be opened: no space left on the device: free some and try again", dir)
	}
	return fmt.Errorf("%s cannot be opened as a Pebble database (%s): if it is damaged, restore it from a copy", dir, text)
}
