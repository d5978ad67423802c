package device

import (
	"errors"
	"fmt"
	"os"
	"runtime"
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

// ReadProcessIO returns the counts so far. It fails if the kernel does not keep or show them; kernels other than
// Linux have none (errors.ErrUnsupported).
func ReadProcessIO() (ProcessIO, error) {
	if runtime.GOOS != "linux" {
		return ProcessIO{}, fmt.Errorf("only Linux counts what a process reads from devices: %w", errors.ErrUnsupported)
	}
	n, err := readBytes(processIOPath)
	if err != nil {
		return ProcessIO{}, err
	}
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return ProcessIO{}, fmt.Errorf("cannot read the page faults of this process: %w", err)
	}
	return ProcessIO{Bytes: n, Faults: int64(u.Majflt)}, nil
}

// ReadBytesOf returns the bytes that another process has read from devices so far.
func ReadBytesOf(process int) (int64, error) { return readBytes(fmt.Sprintf("/proc/%d/io", process)) }

// readBytes reads the bytes that a process has read from devices from its file in /proc.
func readBytes(path string) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("cannot read the kernel's counts of a process's reads: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "read_bytes:"); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
				return n, nil
			}
			break
		}
	}
	return 0, fmt.Errorf("%s has no read_bytes", path)
}
