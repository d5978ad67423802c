// Package blocktrace lists the reads that a block device completes. It hides the files of tracefs, and the format and the
// losses of the kernel's block_rq_complete trace.
package blocktrace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"getio/system/filesystem"
)

// Request is one read of the device.
type Request struct {
	Sector  int64 // first, in units of 512 bytes
	Sectors int64
	Meta    bool // a read of the file system's metadata
}

// Trace is the trace of the reads of one device. It is not safe for concurrent use.
type Trace struct {
	mount    string // tracefs
	instance string
	pipe     int
	buffer   []byte
	rest     []byte // incomplete last line
}

// bufferKiB is the kernel's buffer per processor, enough for about 50,000 unread requests.
const bufferKiB = 4096

// Start traces the reads of a device. It mounts tracefs on the existing directory at. The name of
// the instance must be unused.
func Start(at, name string, device uint64) (t *Trace, err error) {
	if err := mount(at); err != nil {
		return nil, unavailable(err)
	}
	trace := &Trace{mount: at, instance: filepath.Join(at, "instances", name), pipe: -1, buffer: make([]byte, 1<<16)}
	defer func() {
		if err != nil {
			trace.Close()
		}
	}()
	if err := os.Mkdir(trace.instance, 0o700); err != nil {
		return nil, unavailable(err)
	}
	// The kernel encodes a device's number differently from stat(2).
	number := uint64(unix.Major(device))<<20 | uint64(unix.Minor(device))
	event := "events/block/block_rq_complete/"
	for _, set := range [][2]string{
		{"buffer_size_kb", strconv.Itoa(bufferKiB)},
		{event + "filter", fmt.Sprintf(`dev == %d && rwbs ~ "R*"`, number)},
		{event + "enable", "1"},
	} {
		if err := os.WriteFile(filepath.Join(trace.instance, set[0]), []byte(set[1]), 0); err != nil {
			return nil, unavailable(err)
		}
	}
	if trace.pipe, err = unix.Open(filepath.Join(trace.instance, "trace_pipe"), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return nil, unavailable(err)
	}
	return trace, nil
}

// ErrUnavailable means that the kernel has no trace of block requests, or does not give access.
var ErrUnavailable = errors.New("the kernel's trace of block requests is not available")

func unavailable(err error) error { return fmt.Errorf("%w (%v)", ErrUnavailable, err) }

// Read appends the reads completed since the last call. A read completes before its process
// continues.
func (t *Trace) Read(to []Request) ([]Request, error) {
	for {
		n, err := t.next()
		if err != nil || n == 0 {
			return to, err
		}
		if to, err = t.parse(to, t.buffer[:n]); err != nil {
			return to, err
		}
	}
}

// Discard skips the reads completed since the last call, even if the kernel dropped some.
func (t *Trace) Discard() error {
	t.rest = t.rest[:0]
	for {
		if n, err := t.next(); err != nil || n == 0 {
			return err
		}
	}
}

// next reads a piece of the trace into the buffer: 0 bytes if nothing more is available now.
func (t *Trace) next() (n int, err error) {
	for {
		n, err = unix.Read(t.pipe, t.buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return 0, nil
		case err != nil:
			return 0, fmt.Errorf("cannot read the trace of block requests: %w", err)
		}
		return n, nil
	}
}

// parse appends the requests in a piece of the trace, which may end within a line.
func (t *Trace) parse(to []Request, piece []byte) ([]Request, error) {
	t.rest = append(t.rest, piece...)
	for {
		line, rest, whole := bytes.Cut(t.rest, []byte("\n"))
		if !whole {
			t.rest = append(t.rest[:0], line...)
			return to, nil
		}
		t.rest = rest
		r, ok, err := parseLine(string(line))
		if err != nil {
			return to, err
		}
		if ok {
			to = append(to, r)
		}
	}
}

// ErrLost means that there were more requests than the kernel's buffer holds.
var ErrLost = errors.New("the kernel dropped part of the trace of block requests")

// parseLine parses a line of the trace. For a completed read, it looks like
//
//	kworker/u8:3-1234  [001] ..s1.  123.456789: block_rq_complete: 7,0 RA () 12345 + 8 none,0,0 [0]
//
// The process name at the beginning is arbitrary.
func parseLine(line string) (r Request, ok bool, err error) {
	if strings.HasPrefix(line, "CPU:") && strings.Contains(line, "LOST") {
		return r, false, ErrLost
	}
	at := strings.LastIndex(line, ": block_rq_complete: ")
	if at < 0 {
		return r, false, nil
	}
	// Device, kind, command in brackets, sector, +, sectors, and fields that depend on the kernel.
	fields := strings.Fields(line[at+len(": block_rq_complete: "):])
	if len(fields) >= 6 && fields[4] == "+" {
		sector, errSector := strconv.ParseInt(fields[3], 10, 64)
		sectors, errSectors := strconv.ParseInt(fields[5], 10, 64)
		if errSector == nil && errSectors == nil && sector >= 0 && sectors >= 0 {
			return Request{sector, sectors, strings.Contains(fields[1], "M")}, true, nil
		}
	}
	return r, false, fmt.Errorf("invalid line in the trace of block requests: %q", line)
}

// Close ends the trace.
func (t *Trace) Close() error {
	if t.pipe >= 0 {
		unix.Close(t.pipe)
	}
	return CleanUp(t.mount, filepath.Base(t.instance))
}

// CleanUp ends the trace if a process left one behind.
func CleanUp(at, name string) error {
	ended := filesystem.RemoveBusy(filepath.Join(at, "instances", name), busyFor)
	if ended != nil {
		ended = fmt.Errorf("cannot end the kernel's trace %s: %w", name, ended)
	}
	err := unmount(at)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) { // nothing is mounted
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("cannot unmount the kernel's traces from %s: %w", at, err)
	}
	return errors.Join(ended, err)
}

// busyFor is how long a process that was just started may hold the trace open, until it executes its program.
const busyFor = time.Second
