//go:build linux

package filecalls

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Call is a system call that a thread is about to make.
type Call struct {
	Kind   Kind
	Path   string // of the file, absolute; it ends with Removed if the file has no name any more
	To     string // the new path, of Rename and Link
	Number int    // such as unix.SYS_PREAD64
	form   form
	args   [6]uint64
	tid    int
}

// Removed ends the path of a removed file.
const Removed = " (deleted)"

// newCall reads the paths of a call. A path that cannot be read is empty: the kernel refuses it too.
func newCall(n *notification) *Call {
	c := &Call{Number: int(n.number), form: forms[int(n.number)], args: n.args, tid: int(n.tid)}
	c.Kind = c.form.kind
	if c.Kind == Open && c.openFlags()&unix.O_CREAT != 0 {
		c.Kind = Create
	}
	if c.form.fd >= 0 {
		c.Path, _ = os.Readlink(c.link(c.FD()))
		return c
	}
	c.Path = c.pathAt(c.form.dir, c.form.path)
	if c.form.newPath >= 0 {
		c.To = c.pathAt(c.form.newDir, c.form.newPath)
	}
	return c
}

// FD returns the open file of a call that has one.
func (c *Call) FD() int { return int(int32(c.args[c.form.fd])) }

// Arg returns argument i, as a signed number.
func (c *Call) Arg(i int) int64 { return int64(c.args[i]) }

// openFlags returns the flags of Open and Create.
func (c *Call) openFlags() int64 { return c.Arg(c.form.path + 1) }

// Truncates reports whether Create or Open makes the file empty.
func (c *Call) Truncates() bool { return c.openFlags()&unix.O_TRUNC != 0 }

// Exclusive reports whether Create refuses a file that is there.
func (c *Call) Exclusive() bool { return c.openFlags()&unix.O_EXCL != 0 }

// RemovesDir reports whether Remove is for a directory.
func (c *Call) RemovesDir() bool {
	return c.Number == rmdirNumber || c.Number == unix.SYS_UNLINKAT && c.Arg(2)&unix.AT_REMOVEDIR != 0
}

// link is the path, in /proc, of the file that the caller has open as fd.
func (c *Call) link(fd int) string {
	if fd == unix.AT_FDCWD {
		return fmt.Sprintf("/proc/%d/cwd", c.tid)
	}
	return fmt.Sprintf("/proc/%d/fd/%d", c.tid, fd)
}

// Reopen opens the call's open file once more, for reading.
func (c *Call) Reopen() (*os.File, error) { return os.Open(c.link(c.FD())) }

// Stat describes the call's open file.
func (c *Call) Stat() (os.FileInfo, error) { return os.Stat(c.link(c.FD())) }

// pathAt returns the path that an argument points at, relative to the directory that another is.
func (c *Call) pathAt(dir, path int) string {
	text, err := c.text(uintptr(c.args[path]))
	if err != nil {
		return ""
	}
	if held, ok := strings.CutPrefix(text, "/proc/self/fd/"); ok { // a file below a directory that the caller holds open
		number, below, _ := strings.Cut(held, "/")
		in, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", c.tid, number))
		if err != nil {
			return ""
		}
		return filepath.Join(in, below)
	}
	if filepath.IsAbs(text) {
		return filepath.Clean(text)
	}
	fd := unix.AT_FDCWD
	if dir >= 0 {
		fd = int(int32(c.args[dir]))
	}
	in, err := os.Readlink(c.link(fd))
	if err != nil {
		return ""
	}
	return filepath.Join(in, text)
}

// text reads a string from the caller's memory. It reads up to the end of a page at a time, since
// the next one may not be there.
func (c *Call) text(at uintptr) (string, error) {
	const page = 4096
	var text []byte
	for len(text) < unix.PathMax {
		part, err := c.memory(at, page-int(at%page))
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(text, part[:end]...)), nil
		}
		text = append(text, part...)
		at += uintptr(len(part))
	}
	return "", unix.ENAMETOOLONG
}

func (c *Call) memory(at uintptr, n int) ([]byte, error) {
	data := make([]byte, n)
	if n == 0 {
		return data, nil
	}
	local := []unix.Iovec{{Base: &data[0]}}
	local[0].SetLen(n)
	got, err := unix.ProcessVMReadv(c.tid, local, []unix.RemoteIovec{{Base: at, Len: n}}, 0)
	return data[:max(got, 0)], err
}

// Data returns what a Write is to write.
func (c *Call) Data() ([]byte, error) {
	data, err := c.memory(uintptr(c.args[1]), int(c.args[2]))
	if err == nil && len(data) < int(c.args[2]) {
		err = errors.New("the buffer ends too early")
	}
	return data, err
}

// SetData puts data into the buffer of a Read or Write.
func (c *Call) SetData(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &data[0]}}
	local[0].SetLen(len(data))
	_, err := unix.ProcessVMWritev(c.tid, local, []unix.RemoteIovec{{Base: uintptr(c.args[1]), Len: len(data)}}, 0)
	return err
}

// Offset returns where in the file a Read or Write begins. atEnd means the end of the file, wherever that is.
func (c *Call) Offset() (at int64, atEnd bool, err error) {
	if c.Number == unix.SYS_PREAD64 || c.Number == unix.SYS_PWRITE64 {
		return c.Arg(3), false, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", c.tid, c.FD()))
	if err != nil {
		return 0, false, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch name {
		case "pos":
			at, err = strconv.ParseInt(value, 10, 64)
		case "flags":
			var flags int64
			flags, err = strconv.ParseInt(value, 8, 64)
			atEnd = c.Kind == Write && flags&unix.O_APPEND != 0
		}
		if err != nil {
			return 0, false, err
		}
	}
	return at, atEnd, nil
}
