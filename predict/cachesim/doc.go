// Package cachesim simulates caches, of blocks in a library and of pages in the kernel: for a
// stream of accesses and a cache size, it says which accesses hit and which miss.
//
// A Policy simulates one cache, or one shard of a cache. ClockPro reproduces Pebble's cache
// exactly, access by access. The others are LRU, S3FIFO and LinuxUnseen.
//
// A block is a number that the caller chooses. Sizes are in bytes. No policy is safe for
// concurrent use; different shards may be used concurrently.
package cachesim

import "fmt"

// Policy decides which blocks a cache holds.
type Policy interface {
	// Access looks a block up, and may add it after a miss. All accesses of a block give
	// the same size.
	Access(block uint64, size uint32) (hit bool)
	// Used returns the bytes of the cached blocks.
	Used() int64
}

// Names of policies, for New.
const (
	NameClockPro = "clockpro"
	NameLRU      = "lru"
	NameS3FIFO   = "s3fifo"
)

// Names returns the names of all policies, Pebble's first.
func Names() []string { return []string{NameClockPro, NameLRU, NameS3FIFO} }

// New returns an empty cache of capacity bytes with the named policy.
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
