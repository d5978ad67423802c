package cachesim

// ClockPro is CLOCK-Pro (Jiang, Chen, Zhang: USENIX 2005). It reproduces one shard of
// Pebble's cache exactly, access by access, if these are made one at a time. It is laid out
// like internal/cache/clockpro.go of Pebble v1.1.5 (v2.1 is the same) and uses its names.
//
// All blocks lie on one ring. Cold blocks were accessed once lately, hot ones again soon
// after. Test blocks have been evicted but are remembered, to see whether they would have
// been accessed again soon. Three hands go around the ring. The cold hand evicts cold blocks
// and makes referenced ones hot; the hot hand makes unreferenced hot blocks cold; the test
// hand forgets test blocks. coldTarget, the room for cold blocks, grows with every test
// block that is accessed and shrinks with every one that is forgotten.
//
// Invariants: sizeHot + sizeCold is at most targetSize and one block, and so is sizeTest;
// coldTarget is between 0 and targetSize; all three hands are on the ring, or it is empty.
type ClockPro struct {
	targetSize int64
	coldTarget int64

	blocks  blockMap
	entries []entry
	free    uint32 // first unused entry, linked by next

	handHot, handCold, handTest uint32
	sizeHot, sizeCold, sizeTest int64 // bytes
}

type entry struct {
	block      uint64
	next, prev uint32
	size       uint32
	ptype      entryType
	referenced bool
}

type entryType uint8

const (
	etTest entryType = iota
	etCold
	etHot
)

// NewClockPro returns an empty cache of the given bytes. They do not include what Pebble
// reserves for memtables.
func NewClockPro(capacity int64) *ClockPro {
	// As in Pebble, targetSize is at least 1, so that evict ends.
	capacity = max(capacity, 1)
	return &ClockPro{
		targetSize: capacity, coldTarget: capacity,
		blocks: newBlockMap(), free: nil32,
		handHot: nil32, handCold: nil32, handTest: nil32,
	}
}

func (c *ClockPro) Used() int64 { return c.sizeHot + c.sizeCold }

// Access implements Policy: Pebble's Get, and its Set after a miss.
func (c *ClockPro) Access(block uint64, size uint32) bool {
	at := c.blocks.find(block)
	if at == nil32 {
		if c.metaAdd(block, size, etCold) {
			c.sizeCold += int64(size)
		}
		return false
	}
	e := &c.entries[at]
	if e.ptype != etTest {
		e.referenced = true
		return true
	}
	c.sizeTest -= int64(e.size)
	c.metaDel(at)
	c.coldTarget = min(c.coldTarget+int64(size), c.targetSize)
	if c.metaAdd(block, size, etHot) {
		c.sizeHot += int64(size)
	}
	return false
}

// metaAdd makes room for a block and links it in behind the hot hand. It returns false for a
// block that is larger than the cache.
func (c *ClockPro) metaAdd(block uint64, size uint32, ptype entryType) bool {
	c.evict()
	if int64(size) > c.targetSize {
		return false
	}
	at := c.newEntry()
	e := &c.entries[at]
	*e = entry{block: block, size: size, ptype: ptype, next: at, prev: at}
	c.blocks.put(block, at)
	if c.handHot == nil32 {
		c.handHot, c.handCold, c.handTest = at, at, at
		return true
	}
	hot := &c.entries[c.handHot]
	e.next, e.prev = c.handHot, hot.prev
	c.entries[hot.prev].next = at
	hot.prev = at
	if c.handCold == c.handHot {
		c.handCold = at
	}
	return true
}

// metaDel unlinks a block; hands on it step back.
func (c *ClockPro) metaDel(at uint32) {
	e := &c.entries[at]
	c.blocks.remove(e.block)
	if e.next == at {
		c.handHot, c.handCold, c.handTest = nil32, nil32, nil32
	} else {
		for _, hand := range [...]*uint32{&c.handHot, &c.handCold, &c.handTest} {
			if *hand == at {
				*hand = e.prev
			}
		}
		c.entries[e.prev].next, c.entries[e.next].prev = e.next, e.prev
	}
	e.next, c.free = c.free, at
}

func (c *ClockPro) evict() {
	for c.targetSize <= c.sizeHot+c.sizeCold && c.handCold != nil32 {
		c.runHandCold()
	}
}

func (c *ClockPro) runHandCold() {
	if e := &c.entries[c.handCold]; e.ptype == etCold {
		size := int64(e.size)
		c.sizeCold -= size
		if e.referenced {
			e.referenced = false
			e.ptype = etHot
			c.sizeHot += size
		} else {
			e.ptype = etTest
			c.sizeTest += size
			for c.targetSize < c.sizeTest && c.handTest != nil32 {
				c.runHandTest()
			}
		}
	}
	c.handCold = c.next(c.handCold)
	for c.targetSize-c.coldTarget <= c.sizeHot && c.handHot != nil32 {
		c.runHandHot()
	}
}

// runHandHot does not pass the test hand.
func (c *ClockPro) runHandHot() {
	if c.handHot == c.handTest {
		if c.runHandTest(); c.handHot == nil32 {
			return
		}
	}
	if e := &c.entries[c.handHot]; e.ptype == etHot {
		if e.referenced {
			e.referenced = false
		} else {
			e.ptype = etCold
			c.sizeHot -= int64(e.size)
			c.sizeCold += int64(e.size)
		}
	}
	c.handHot = c.next(c.handHot)
}

// runHandTest does not pass the cold hand.
func (c *ClockPro) runHandTest() {
	if c.sizeCold > 0 && c.handTest == c.handCold {
		if c.runHandCold(); c.handTest == nil32 {
			return
		}
	}
	if e := &c.entries[c.handTest]; e.ptype == etTest {
		c.sizeTest -= int64(e.size)
		c.coldTarget = max(c.coldTarget-int64(e.size), 0)
		c.metaDel(c.handTest)
	}
	c.handTest = c.next(c.handTest)
}

func (c *ClockPro) next(at uint32) uint32 {
	if at == nil32 {
		return nil32
	}
	return c.entries[at].next
}

func (c *ClockPro) newEntry() uint32 {
	if at := c.free; at != nil32 {
		c.free = c.entries[at].next
		return at
	}
	c.entries = append(c.entries, entry{})
	return uint32(len(c.entries) - 1)
}
