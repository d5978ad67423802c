//go:build !linux

package capability

import (
	"errors"
	"strconv"
)

// String returns the number.
func (c Capability) String() string { return strconv.Itoa(int(c)) }

// Has reports that this process has no capability.
func Has(Capability) bool { return false }

// Keep needs Linux.
func Keep(...Capability) error { return errors.ErrUnsupported }

// GiveUp needs Linux.
func GiveUp(func() error, ...Capability) error { return errors.ErrUnsupported }
