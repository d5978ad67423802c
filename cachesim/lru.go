package cachesim

// LRU takes out the block whose last access is longest ago.
//
// Invariants: the blocks held take at most the capacity; they are those accessed
// last, as many as fit, blocks larger than the capacity apart.
type LRU struct {
	capacity int64
	where    directory
	nodes    *nodes
	held     queue
}

// NewLRU returns an empty cache of so many bytes.
func NewLRU(capacity int64) *LRU {
	n := newNodes()
	return &LRU{capacity: capacity, where: newDirectory(), nodes: n, held: newQueue(n)}
}

// Used implements Policy.
func (c *LRU) Used() int64 { return c.held.bytes }

// Access implements Policy.
func (c *LRU) Access(block uint64, size uint32) bool {
	if at := c.where.find(block); at != nil32 {
		if at != c.held.newest {
			c.held.unlink(at)
			c.held.push(at)
		}
		return true
	}
	if int64(size) > c.capacity {
		return false
	}
	for c.held.bytes+int64(size) > c.capacity {
		at := c.held.last
		c.held.unlink(at)
		c.where.remove(c.nodes.all[at].block)
		c.nodes.drop(at)
	}
	at := c.nodes.take()
	c.nodes.all[at] = queueNode{block: block, size: size}
	c.held.push(at)
	c.where.put(block, at)
	return false
}
