package device

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ProcessIO holds the kernel's counts of reads by this process.
type ProcessIO struct {
	// Bytes is read from devices by all threads, including readahead (/proc/self/io,
	// read_bytes: Linux, Documentation/filesystems/proc.rst).
	Bytes int64
	// Faults counts pages of the process's code and mappings that were read; Bytes includes
	// them (getrusage, ru_majflt).
	Faults int64
}

// Sub returns what was counted between q and a.
func (a ProcessIO) Sub(q ProcessIO) ProcessIO {
	return ProcessIO{a.Bytes - q.Bytes, a.Faults - q.Faults}
}

// Add returns the sum of both.
func (a ProcessIO) Add(q ProcessIO) ProcessIO {
	return ProcessIO{a.Bytes + q.Bytes, a.Faults + q.Faults}
}

var processIOPath = "/proc/self/io"

// ReadProcessIO returns the counts so far. It fails if the kernel does not keep or show them.
func ReadProcessIO() (ProcessIO, error) {
	data, err := os.ReadFile(processIOPath)
	if err != nil {
		return ProcessIO{}, fmt.Errorf("cannot read the kernel's counts of this process's reads: %w", err)
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
			return ProcessIO{}, fmt.Errorf("cannot read the page faults of this process: %w", err)
		}
		return ProcessIO{Bytes: n, Faults: int64(u.Majflt)}, nil
	}
	return ProcessIO{}, fmt.Errorf("%s has no read_bytes", processIOPath)
}
