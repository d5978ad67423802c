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
	if c.touch(block) {
		return true
	}
	if int64(size) > c.capacity {
		return false
	}
	for c.held.bytes+int64(size) > c.capacity {
		c.drop()
	}
	c.add(block, size)
	return false
}

// touch makes a block the last accessed, and tells whether it is held.
func (c *LRU) touch(block uint64) bool {
	at := c.where.find(block)
	if at != nil32 && at != c.held.newest {
		c.held.unlink(at)
		c.held.push(at)
	}
	return at != nil32
}

// drop takes out the block whose last access is longest ago, and tells its size.
func (c *LRU) drop() (size uint32) {
	at := c.held.last
	size = c.nodes.all[at].size
	c.held.unlink(at)
	c.where.remove(c.nodes.all[at].block)
	c.nodes.drop(at)
	return size
}

// add takes in a block that is not held and that there is room for.
func (c *LRU) add(block uint64, size uint32) {
	at := c.nodes.take()
	c.nodes.all[at] = queueNode{block: block, size: size}
	c.held.push(at)
	c.where.put(block, at)
}
