package cachesim

// FIFO evicts the block that it has held longest, however often it was accessed. Linux does nearly so
// with pages that are mapped for random access (system/pagecache).
//
// Invariant: it holds the blocks that missed last and fit the capacity together; blocks larger than the
// capacity are never cached.
type FIFO struct{ lru LRU }

// NewFIFO returns an empty cache of capacity bytes.
func NewFIFO(capacity int64) *FIFO { return &FIFO{*NewLRU(capacity)} }

// Used implements Policy.
func (c *FIFO) Used() int64 { return c.lru.Used() }

// Access implements Policy.
func (c *FIFO) Access(block uint64, size uint32) bool {
	if c.lru.where.find(block) != nil32 {
		return true
	}
	c.lru.insert(block, size)
	return false
}
