package cachesim

// LRU evicts the least recently accessed block.
//
// Invariant: it holds the most recently accessed blocks that fit the capacity together;
// blocks larger than the capacity are never cached.
type LRU struct {
	capacity int64
	where    blockMap
	nodes    *nodes
	held     queue
}

// NewLRU returns an empty cache of capacity bytes.
func NewLRU(capacity int64) *LRU {
	n := newNodes()
	return &LRU{capacity: capacity, where: newBlockMap(), nodes: n, held: newQueue(n)}
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

// touch makes a block the most recently accessed one, and reports whether it is cached.
func (c *LRU) touch(block uint64) bool {
	at := c.where.find(block)
	if at != nil32 && at != c.held.newest {
		c.held.unlink(at)
		c.held.push(at)
	}
	return at != nil32
}

// drop evicts the least recently accessed block and returns its size.
func (c *LRU) drop() (size uint32) {
	at := c.held.last
	size = c.nodes.all[at].size
	c.held.unlink(at)
	c.where.remove(c.nodes.all[at].block)
	c.nodes.drop(at)
	return size
}

// add caches a block, which must be absent and must fit.
func (c *LRU) add(block uint64, size uint32) {
	at := c.nodes.take()
	c.nodes.all[at] = queueNode{block: block, size: size}
	c.held.push(at)
	c.where.put(block, at)
}
