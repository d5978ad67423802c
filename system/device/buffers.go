package device

import (
	"math/bits"
	"sync"
	"unsafe"
)

// buffers are kept for further reads, by the power of two that they hold.
type buffers [bits.UintSize]sync.Pool

// buffer begins at a multiple of Block in memory, as O_DIRECT demands.
type buffer struct {
	bytes []byte
	pool  *sync.Pool
}

// get returns a buffer of at least n bytes, n being positive.
func (b *buffers) get(n int) *buffer {
	class := bits.Len(uint(n - 1))
	pool := &b[class]
	if kept, ok := pool.Get().(*buffer); ok {
		return kept
	}
	return &buffer{bytes: aligned(1 << class), pool: pool}
}

func (*buffers) put(b *buffer) { b.pool.Put(b) }

// aligned makes a buffer of n bytes. The heap's objects do not move.
func aligned(n int) []byte {
	raw := make([]byte, n+Block)
	past := int(uintptr(unsafe.Pointer(&raw[0])) % Block)
	return raw[Block-past:][:n:n]
}
