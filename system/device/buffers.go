package device

import (
	"math/bits"
	"sync"
	"unsafe"
)

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
