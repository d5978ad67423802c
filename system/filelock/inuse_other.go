//go:build !linux

package filelock

import "golang.org/x/sys/unix"

// getLock asks which lock another process has.
const getLock = unix.F_GETLK

// unlocking is how to come by a database that another process has open.
const unlocking = "stop that process, or work on a copy"
