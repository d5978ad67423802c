//go:build !linux

package loopdisk

import (
	"context"
	"errors"
	"os"
)

// Loop devices are Linux's.

func newImage(string, int64) (*os.File, error) { return nil, errors.ErrUnsupported }

func attach(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

func mountExt4(_, _ string) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }

// Gather needs Linux.
func (d *Disk) Gather(context.Context) error { return errors.ErrUnsupported }
