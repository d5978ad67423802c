// Package blocktrace lists the reads that a block device completes. It hides the files of tracefs, and the format and the
// losses of the kernel's block_rq_complete trace.
package blocktrace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
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

// Close ends the trace.
func (t *Trace) Close() error {
	if t.pipe >= 0 {
		unix.Close(t.pipe)
	}
	return CleanUp(t.mount, filepath.Base(t.instance))
}

// CleanUp ends the trace if a process left one behind.
func CleanUp(at, name string) error {
	return errors.Join(removeInstance(filepath.Join(at, "instances", name)), unmountFrom(at))
}

// busyFor is how long a process that was just started may hold the trace open, until it executes its program.
const busyFor = time.Second

func removeInstance(path string) error {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		err := os.Remove(path)
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist):
			return nil
		case !errors.Is(err, unix.EBUSY) || time.Since(begun) > busyFor:
			return fmt.Errorf("cannot end the kernel's trace %s: %w", filepath.Base(path), err)
		}
	}
}

func unmountFrom(at string) error {
	err := unmount(at)
	if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("cannot unmount the kernel's traces from %s: %w", at, err)
	}
	return nil
}
