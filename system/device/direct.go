package device

import (
	"io"

	"golang.org/x/sys/unix"
)

// Block is what reads past the page cache begin and end at, and are counted in, in
// bytes: a multiple of every device's logical block, and a page of memory.
const Block = 4 << 10

// direct reads a file that is open with O_DIRECT: whole blocks into a buffer that
// begins at one.
type direct struct {
	fd    int
	layer *Layer
}

// ReadAt implements io.ReaderAt.
func (d *direct) ReadAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	first := off &^ (Block - 1)
	end := (off + int64(len(p)) + Block - 1) &^ (Block - 1)
	buf := d.layer.buffers.get(int(end - first))
	defer d.layer.buffers.put(buf)
	n, err := d.blocks(buf.bytes[:end-first], first)
	if err != nil {
		return 0, err
	}
	from := min(off-first, int64(n))
	if n = copy(p, buf.bytes[from:n]); n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// blocks fills whole blocks from the file and tells how many bytes it has of them:
// fewer at its end. Each call of the kernel is one read of the device.
func (d *direct) blocks(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		var m int
		if m, err = unix.Pread(d.fd, p[n:], off+int64(n)); err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, err
		}
		if m > 0 {
			d.layer.count(1, wholeBlocks(m))
		}
		n += m
		if m%Block != 0 || m == 0 { // the file ends there
			return n, nil
		}
	}
	return n, nil
}

// wholeBlocks is n bytes, rounded up to whole blocks.
func wholeBlocks(n int) int64 { return int64(n+Block-1) &^ (Block - 1) }
