package device

import (
	"io"
	"math/bits"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Block is the unit in bytes of reads past the page cache: a page of memory, and a multiple of
// every device's logical block.
const Block = 4 << 10

// direct reads a file with O_DIRECT: whole blocks, into an aligned buffer.
type direct struct {
	fd    int
	layer *Layer
}

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

// blocks reads whole blocks and returns their number of bytes, which is smaller at the end of
// the file. Each system call is one read of the device.
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
			d.layer.count(1, int64(m+Block-1)&^(Block-1))
		}
		n += m
		if m%Block != 0 || m == 0 { // the end of the file
			return n, nil
		}
	}
	return n, nil
}

// buffers keeps buffers for further reads, by their size, a power of two.
type buffers [bits.UintSize]sync.Pool

// buffer begins at a multiple of Block in memory, as O_DIRECT requires.
type buffer struct {
	bytes []byte
	pool  *sync.Pool
}

// get returns a buffer of at least n bytes; n must be positive.
func (b *buffers) get(n int) *buffer {
	class := bits.Len(uint(n - 1))
	pool := &b[class]
	if kept, ok := pool.Get().(*buffer); ok {
		return kept
	}
	return &buffer{bytes: aligned(1 << class), pool: pool}
}

func (*buffers) put(b *buffer) { b.pool.Put(b) }

// aligned returns n bytes that begin at a multiple of Block. Objects on the heap do not move.
func aligned(n int) []byte {
	raw := make([]byte, n+Block)
	past := int(uintptr(unsafe.Pointer(&raw[0])) % Block)
	return raw[Block-past:][:n:n]
}
