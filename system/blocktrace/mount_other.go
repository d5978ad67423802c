//go:build !linux

package blocktrace

import "errors"

func mount(string) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }
