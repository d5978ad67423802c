package cachesim

// S3FIFO is S3-FIFO (Yang, Zhang, Qiu, Yue, Vinayak: SOSP 2023) with sizes in bytes. New
// blocks enter a small queue of a tenth of the capacity. From there, blocks that were
// accessed twice move to the main queue; the others are evicted to the ghost queue, which
// only remembers them. A block accessed while it is remembered enters the main queue. The
// oldest block of the main queue gets another round for each of its accesses, up to three.
//
// Invariants: small and main queue take at most the capacity; the ghost queue takes at most
// nine tenths of it; no block is in two queues.
type S3FIFO struct {
	capacity, smallTarget, ghostTarget int64

	where  blockMap
	nodes  *nodes
	queues [3]queue
}

// Queues of S3FIFO, for queueNode.queue.
const (
	smallQueue = iota
	mainQueue
	ghostQueue
)

// Parameters of the paper.
const (
	smallShare   = 10 // the small queue is a tenth of the capacity
	promoteAfter = 2  // accesses in the small queue
	mostHits     = 3  // hits are counted up to here
)

// NewS3FIFO returns an empty cache of capacity bytes.
func NewS3FIFO(capacity int64) *S3FIFO {
	n := newNodes()
	c := &S3FIFO{
		capacity: capacity, smallTarget: capacity / smallShare, ghostTarget: capacity - capacity/smallShare,
		where: newBlockMap(), nodes: n,
	}
	for i := range c.queues {
		c.queues[i] = newQueue(n)
	}
	return c
}

// Used implements Policy.
func (c *S3FIFO) Used() int64 { return c.queues[smallQueue].bytes + c.queues[mainQueue].bytes }

// Access implements Policy.
func (c *S3FIFO) Access(block uint64, size uint32) bool {
	at := c.where.find(block)
	if at != nil32 && c.nodes.all[at].queue != ghostQueue {
		n := &c.nodes.all[at]
		n.hits = min(n.hits+1, mostHits)
		return true
	}
	into := uint8(smallQueue)
	if at != nil32 {
		c.forget(at)
		into = mainQueue
	}
	if int64(size) > c.capacity {
		return false
	}
	for c.Used()+int64(size) > c.capacity {
		c.evict()
	}
	at = c.nodes.take()
	c.nodes.all[at] = queueNode{block: block, size: size, queue: into}
	c.queues[into].push(at)
	c.where.put(block, at)
	return false
}

// evict evicts at most one block.
func (c *S3FIFO) evict() {
	if c.queues[smallQueue].bytes > c.smallTarget || c.queues[mainQueue].last == nil32 {
		c.evictSmall()
	} else {
		c.evictMain()
	}
}

func (c *S3FIFO) evictSmall() {
	at := c.queues[smallQueue].last
	n := &c.nodes.all[at]
	if n.hits >= promoteAfter {
		n.hits = 0
		c.move(at, mainQueue)
		return
	}
	c.move(at, ghostQueue)
	for c.queues[ghostQueue].bytes > c.ghostTarget {
		c.forget(c.queues[ghostQueue].last)
	}
}

func (c *S3FIFO) evictMain() {
	at := c.queues[mainQueue].last
	n := &c.nodes.all[at]
	if n.hits > 0 {
		n.hits--
		c.move(at, mainQueue)
		return
	}
	c.forget(at)
}

// move makes a node the newest of another queue.
func (c *S3FIFO) move(at uint32, to uint8) {
	n := &c.nodes.all[at]
	c.queues[n.queue].unlink(at)
	n.queue = to
	c.queues[to].push(at)
}

// forget removes a block from its queue.
func (c *S3FIFO) forget(at uint32) {
	n := &c.nodes.all[at]
	c.queues[n.queue].unlink(at)
	c.where.remove(n.block)
	c.nodes.drop(at)
}
