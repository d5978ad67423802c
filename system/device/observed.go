package device

import (
	"io"
	"runtime"
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
