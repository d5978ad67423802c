//go:build rocksdb

package rocksdb

import (
	"sync"
	"sync/atomic"
)

// handles numbers Go values for C, from 1. Looking one up takes no lock and no allocation.
type handles[T any] struct {
	chunks [1 << 12]atomic.Pointer[chunk[T]]

	mu   sync.Mutex
	next uint64
	free []uint64
}

type chunk[T any] [1 << 10]atomic.Pointer[T]

func (r *handles[T]) add(value *T) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var id uint64
	if n := len(r.free); n > 0 {
		id, r.free = r.free[n-1], r.free[:n-1]
	} else {
		r.next++
		id = r.next
	}
	c := &r.chunks[id/uint64(len(chunk[T]{}))]
	if c.Load() == nil {
		c.Store(new(chunk[T]))
	}
	r.slot(id).Store(value)
	return id
}

func (r *handles[T]) slot(id uint64) *atomic.Pointer[T] {
	const size = uint64(len(chunk[T]{}))
	return &r.chunks[id/size].Load()[id%size]
}

func (r *handles[T]) at(id uint64) *T { return r.slot(id).Load() }

func (r *handles[T]) remove(id uint64) *T {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, id)
	return r.slot(id).Swap(nil)
}
