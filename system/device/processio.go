package device

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ProcessIO holds the kernel's counts of what was read for this process.
type ProcessIO struct {
	// Bytes that were read from devices for it, whichever of its threads and files
	// they were for, readahead included, as task I/O accounting has it
	// (/proc/self/io, read_bytes: Linux, Documentation/filesystems/proc.rst).
	Bytes int64
	// Faults are pages of its own code and mappings that had to be read, the bytes
	// of which are in Bytes (getrusage, ru_majflt).
	Faults int64
}

// Sub returns what was accounted between q and a.
func (a ProcessIO) Sub(q ProcessIO) ProcessIO {
	return ProcessIO{a.Bytes - q.Bytes, a.Faults - q.Faults}
}

// Add returns both accounts' sum.
func (a ProcessIO) Add(q ProcessIO) ProcessIO {
	return ProcessIO{a.Bytes + q.Bytes, a.Faults + q.Faults}
}

// processIOPath is where the kernel keeps the account.
var processIOPath = "/proc/self/io"

// ReadProcessIO returns the counts so far. It fails where the kernel keeps or shows none.
func ReadProcessIO() (ProcessIO, error) {
	data, err := os.ReadFile(processIOPath)
	if err != nil {
		return ProcessIO{}, fmt.Errorf("the kernel's account of this process's reads cannot be read (%w)", err)
	}
	for line := range strings.Lines(string(data)) {
		value, ok := strings.CutPrefix(line, "read_bytes:")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			break
		}
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			return ProcessIO{}, fmt.Errorf("the kernel does not tell how many pages this process faulted in (%w)", err)
		}
		return ProcessIO{Bytes: n, Faults: int64(u.Majflt)}, nil
	}
	return ProcessIO{}, fmt.Errorf("the kernel's account of this process's reads has no read_bytes (%s)", processIOPath)
}
