package cachesim

// ClockPro is CLOCK-Pro (Jiang, Chen, Zhang: USENIX 2005) as Pebble has it, in
// v1.1.5 and v2.1 alike (internal/cache/clockpro.go, type shard): it holds
// exactly the blocks that one shard of Pebble's cache would hold after the same
// accesses, one at a time.
//
// All blocks lie on one ring: hot ones, which have come back soon; cold ones;
// and test ones, which are no longer held but remembered, to see whether they
// would have come back soon. Three hands go around it. The cold hand takes blocks
// out and makes hot those that were accessed; the hot hand makes blocks cold that
// were not; the test hand forgets. How much room cold blocks get goes up with
// every test block that comes back, and down with every one that does not.
//
// Invariants: hot and cold blocks take at most the capacity and one block more;
// test blocks take at most the capacity and one more; the cold target is between
// 0 and the capacity; all three hands are on the ring, or it is empty.
type ClockPro struct {
	capacity   int64
	coldTarget int64

	where directory
	nodes []clockNode
	free  uint32 // first unused node, linked by next

	handHot, handCold, handTest uint32
	hot, cold, test             int64 // bytes
}

type clockNode struct {
	block      uint64
	next, prev uint32
	size       uint32
	page       page
	referenced bool
}

// page is the state of a block on the ring.
type page uint8

const (
	testPage page = iota
	coldPage
	hotPage
)

// NewClockPro returns an empty cache of so many bytes. What Pebble reserves, for
// memtables, is to be left out.
func NewClockPro(capacity int64) *ClockPro {
	// Pebble: targetSize is at least 1, so that eviction comes to an end.
	capacity = max(capacity, 1)
	return &ClockPro{
		capacity: capacity, coldTarget: capacity,
		where: newDirectory(), free: nil32,
		handHot: nil32, handCold: nil32, handTest: nil32,
	}
}

// Used implements Policy.
func (c *ClockPro) Used() int64 { return c.hot + c.cold }

// Access implements Policy.
func (c *ClockPro) Access(block uint64, size uint32) bool {
	at := c.where.find(block)
	if at == nil32 {
		if c.makeRoom(size) {
			c.insert(block, size, coldPage)
			c.cold += int64(size)
		}
		return false
	}
	n := &c.nodes[at]
	if n.page != testPage {
		n.referenced = true
		return true
	}
	c.test -= int64(n.size)
	c.remove(at)
	c.coldTarget = min(c.coldTarget+int64(size), c.capacity)
	if c.makeRoom(size) {
		c.insert(block, size, hotPage)
		c.hot += int64(size)
	}
	return false
}

// makeRoom takes blocks out until there is room. It returns false for a block
// that the cache never holds.
func (c *ClockPro) makeRoom(size uint32) bool {
	for c.capacity <= c.hot+c.cold && c.handCold != nil32 {
		c.runCold()
	}
	return int64(size) <= c.capacity
}

// runCold moves the cold hand by one.
func (c *ClockPro) runCold() {
	if n := &c.nodes[c.handCold]; n.page == coldPage {
		size := int64(n.size)
		c.cold -= size
		if n.referenced {
			n.referenced = false
			n.page = hotPage
			c.hot += size
		} else {
			n.page = testPage
			c.test += size
			for c.capacity < c.test && c.handTest != nil32 {
				c.runTest()
			}
		}
	}
	c.handCold = c.next(c.handCold)
	for c.capacity-c.coldTarget <= c.hot && c.handHot != nil32 {
		c.runHot()
	}
}

// runHot moves the hot hand by one. It does not pass the test hand.
func (c *ClockPro) runHot() {
	if c.handHot == c.handTest {
		if c.runTest(); c.handHot == nil32 {
			return
		}
	}
	if n := &c.nodes[c.handHot]; n.page == hotPage {
		if n.referenced {
			n.referenced = false
		} else {
			n.page = coldPage
			c.hot -= int64(n.size)
			c.cold += int64(n.size)
		}
	}
	c.handHot = c.next(c.handHot)
}

// runTest moves the test hand by one. It does not pass the cold hand.
func (c *ClockPro) runTest() {
	if c.cold > 0 && c.handTest == c.handCold {
		if c.runCold(); c.handTest == nil32 {
			return
		}
	}
	if n := &c.nodes[c.handTest]; n.page == testPage {
		c.test -= int64(n.size)
		c.coldTarget = max(c.coldTarget-int64(n.size), 0)
		c.remove(c.handTest)
	}
	c.handTest = c.next(c.handTest)
}

func (c *ClockPro) next(at uint32) uint32 {
	if at == nil32 {
		return nil32
	}
	return c.nodes[at].next
}

// insert puts a block on the ring just behind the hot hand.
func (c *ClockPro) insert(block uint64, size uint32, p page) {
	at := c.take()
	n := &c.nodes[at]
	*n = clockNode{block: block, size: size, page: p, next: at, prev: at}
	c.where.put(block, at)
	if c.handHot == nil32 {
		c.handHot, c.handCold, c.handTest = at, at, at
		return
	}
	hot := &c.nodes[c.handHot]
	n.next, n.prev = c.handHot, hot.prev
	c.nodes[hot.prev].next = at
	hot.prev = at
	if c.handCold == c.handHot {
		c.handCold = at
	}
}

// remove takes a block off the ring; hands on it go back by one.
func (c *ClockPro) remove(at uint32) {
	n := &c.nodes[at]
	c.where.remove(n.block)
	if n.next == at {
		c.handHot, c.handCold, c.handTest = nil32, nil32, nil32
	} else {
		if c.handHot == at {
			c.handHot = n.prev
		}
		if c.handCold == at {
			c.handCold = n.prev
		}
		if c.handTest == at {
			c.handTest = n.prev
		}
		c.nodes[n.prev].next, c.nodes[n.next].prev = n.next, n.prev
	}
	n.next, c.free = c.free, at
}

// take returns an unused node.
func (c *ClockPro) take() uint32 {
	if at := c.free; at != nil32 {
		c.free = c.nodes[at].next
		return at
	}
	c.nodes = append(c.nodes, clockNode{})
	return uint32(len(c.nodes) - 1)
}
