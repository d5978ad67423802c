//go:build !linux

package device

import "errors"

var errLinux = errors.New("only Linux is known to do that")

func setDirect(int) error { return errLinux }

func threadBytes() int64 { return 0 }
