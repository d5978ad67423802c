//go:build !linux

package device

import (
	"errors"
	"os"
)

var errLinux = errors.New("only Linux is known to do that")

func setDirect(int) error { return errLinux }

func drop(*os.File) (int64, error) { return 0, errLinux }

func threadBytes() int64 { return 0 }
