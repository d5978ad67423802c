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
	queues
}

// Queues of S3FIFO.
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
	small := capacity / smallShare
	return &S3FIFO{capacity: capacity, smallTarget: small, ghostTarget: capacity - small, queues: newQueues()}
}

func (c *S3FIFO) Used() int64 { return c.list[smallQueue].bytes + c.list[mainQueue].bytes }

func (c *S3FIFO) Access(block uint64, size uint32) bool {
	at := c.where.find(block)
	if at != nil32 && c.nodes[at].queue != ghostQueue {
		n := &c.nodes[at]
		n.hits = min(n.hits+1, mostHits)
		return true
	}
	into := uint8(smallQueue)
	if at != nil32 {
		c.remove(at)
		into = mainQueue
	}
	if int64(size) > c.capacity {
		return false
	}
	for c.Used()+int64(size) > c.capacity {
		c.evict()
	}
	c.add(block, size, into)
	return false
}

// evict evicts at most one block.
func (c *S3FIFO) evict() {
	if c.list[smallQueue].bytes > c.smallTarget || c.list[mainQueue].last == nil32 {
		c.evictSmall()
	} else {
		c.evictMain()
	}
}

func (c *S3FIFO) evictSmall() {
	at := c.list[smallQueue].last
	n := &c.nodes[at]
	if n.hits >= promoteAfter {
		n.hits = 0
		c.move(at, mainQueue)
		return
	}
	c.move(at, ghostQueue)
	for c.list[ghostQueue].bytes > c.ghostTarget {
		c.remove(c.list[ghostQueue].last)
	}
}

func (c *S3FIFO) evictMain() {
	at := c.list[mainQueue].last
	n := &c.nodes[at]
	if n.hits > 0 {
		n.hits--
		c.move(at, mainQueue)
		return
	}
	c.remove(at)
}
