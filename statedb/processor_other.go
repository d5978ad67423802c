//go:build !linux

package statedb

import (
	"errors"
	"fmt"
	"os/exec"
)

// startOnOneProcessor needs Linux.
func startOnOneProcessor(*exec.Cmd) error {
	return fmt.Errorf("cannot use one processor only: %w", errors.ErrUnsupported)
}
