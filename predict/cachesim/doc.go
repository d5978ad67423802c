// Package cachesim simulates block caches: which blocks of a stream of accesses
// a cache of a given size serves, and which it has to read.
//
// A Policy is one cache, or one shard of a cache, of so many bytes. The
// policies are ClockPro as Pebble has it, access for access; LRU; S3FIFO; and
// Static, the best that a cache can do that never changes what it holds.
//
// Blocks are numbers; what they stand for is the caller's business. Sizes are in
// bytes. No policy is safe for concurrent use: shards are what runs in parallel.
//
// It is a ground package: it knows no engine and no LSM tree.
package cachesim

import "fmt"

// Policy decides which blocks a cache holds.
type Policy interface {
	// Access reads a block through the cache. It tells whether the cache held the
	// block; if not, it may hold it from now on. The size of a block is the same
	// in all accesses.
	Access(block uint64, size uint32) (hit bool)
	// Used is the bytes of the blocks that are held.
	Used() int64
}

// Names of the policies that New knows.
const (
	NameClockPro = "clockpro"
	NameLRU      = "lru"
	NameS3FIFO   = "s3fifo"
)

// Names lists the policies that New knows, Pebble's first.
func Names() []string { return []string{NameClockPro, NameLRU, NameS3FIFO} }

// New returns an empty cache of the given size with the named policy.
func New(name string, capacity int64) (Policy, error) {
	switch name {
	case NameClockPro:
		return NewClockPro(capacity), nil
	case NameLRU:
		return NewLRU(capacity), nil
	case NameS3FIFO:
		return NewS3FIFO(capacity), nil
	}
	return nil, fmt.Errorf("unknown cache policy %q: use %s, %s or %s", name, NameClockPro, NameLRU, NameS3FIFO)
}
