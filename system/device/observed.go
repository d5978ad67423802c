package device

import (
	"io"
	"runtime"

	"golang.org/x/sys/unix"
)

// observed reads through the page cache. The kernel's count for the thread shows which reads the
// page cache did not serve. Waiting for a page that another thread is reading does not count.
type observed struct {
	file  io.ReaderAt
	layer *Layer
}

// ReadAt implements io.ReaderAt.
func (o *observed) ReadAt(p []byte, off int64) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadBytes()
	n, err := o.file.ReadAt(p, off)
	if bytes := threadBytes() - before; bytes > 0 {
		o.layer.count(1, bytes)
	}
	return n, err
}

// threadBytes returns the bytes that the kernel has read from devices for this thread. It counts
// in units of 512 (getrusage, ru_inblock).
func threadBytes() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return int64(u.Inblock) * 512
}
