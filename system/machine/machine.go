// Package machine describes the computer: its processor, kernel and memory, and whether a block
// cache fits into memory.
package machine

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// Kernel returns the kernel's release; empty if unknown.
func Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// memoryBesides is what a process may need besides its block cache, in bytes.
const memoryBesides = 512 << 20

// CacheMemory returns the memory that a full block cache of that many bytes takes.
func CacheMemory(bytes int64) int64 { return int64(memoryPerByte * float64(bytes)) }

// FitsCache returns an error if this machine does not have the memory for a block cache of that
// many bytes: filling it would make the system swap, or kill this process and perhaps others.
func FitsCache(bytes int64) error {
	need, have := CacheMemory(bytes)+memoryBesides, AvailableMemory()
	if have > 0 && need > have {
		return fmt.Errorf("a cache of %s takes about %s of memory, and %s are available: name a smaller one",
			humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(need)), humanize.IBytes(uint64(have)))
	}
	return nil
}
