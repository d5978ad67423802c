package cachesim

// LRU evicts the least recently accessed block.
//
// Invariant: it holds the most recently accessed blocks that fit the capacity together;
// blocks larger than the capacity are never cached.
type LRU struct {
	capacity int64
	queues   // only the first
}

// NewLRU returns an empty cache of capacity bytes.
func NewLRU(capacity int64) *LRU { return &LRU{capacity: capacity, queues: newQueues()} }

func (c *LRU) Used() int64 { return c.list[0].bytes }

func (c *LRU) Access(block uint64, size uint32) bool {
	if c.touch(block) {
		return true
	}
	c.insert(block, size)
	return false
}

// insert adds a block that is not cached, and evicts others for it.
func (c *LRU) insert(block uint64, size uint32) {
	if int64(size) > c.capacity {
		return
	}
	for c.Used()+int64(size) > c.capacity {
		c.evict()
	}
	c.add(block, size, 0)
}

// touch makes a block the most recently accessed one, and reports whether it is cached.
func (c *LRU) touch(block uint64) bool {
	at := c.where.find(block)
	if at != nil32 && at != c.list[0].newest {
		c.move(at, 0)
	}
	return at != nil32
}

// evict evicts the least recently accessed block and returns it and its size.
func (c *LRU) evict() (block uint64, size uint32) {
	last := c.list[0].last
	block = c.nodes[last].block
	return block, c.remove(last)
}
