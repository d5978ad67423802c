// Package machine describes the computer: its processor, kernel and memory, and whether a block
// cache fits into memory.
package machine

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// CPU returns the name of the processor's model; empty if unknown.
func CPU() string { return field("/proc/cpuinfo", "model name") }

// Kernel returns the kernel's release; empty if unknown.
func Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// Memory returns the bytes of memory; 0 if unknown.
func Memory() int64 { return memory("MemTotal") }

// AvailableMemory returns the bytes of memory that processes can still take; 0 if unknown.
func AvailableMemory() int64 { return memory("MemAvailable") }

// memory returns a figure of /proc/meminfo in bytes; 0 if unknown.
func memory(name string) int64 {
	kb, _, _ := strings.Cut(field("/proc/meminfo", name), " ")
	n, err := strconv.ParseInt(kb, 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// field returns the first value of a name in a file of "name: value" lines.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
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
