package cachesim

import "math"

// Linux simulates the kernel's LRU lists of file pages, for a memory control group or a machine:
//
//   - A page that is read enters the inactive list. It enters the active list instead if it was evicted
//     recently: what was evicted and activated since then fits the active list (mm/workingset.c).
//   - The second access of a page in the inactive list moves it to the active list (mm/swap.c, folio_mark_accessed). The
//     first is the read itself. Linux 6.3 and later ignore accesses through a mapping for random access (system/pagecache).
//   - To free memory, the kernel scans both lists by the same share of their sizes, which doubles until 32
//     pages are evicted. It evicts pages from the end of the inactive list, accessed or not. It moves pages from
//     the end of the active list to the inactive list if the inactive list is low, or if evicted pages were read again
//     and activated since the last scan (mm/vmscan.c).
//
// If accesses are ignored, an active list that is empty at first stays empty, and the cache is a FIFO. This follows
// Linux 6.18 without lru_gen and without swap, with one difference: the kernel may take the size of the active list and the
// activations from counts that are up to two seconds old. If the machine itself lacks memory, the kernel evicts pages of
// the group besides. It compares how old these are with the active pages of the machine, so that most of them become
// active when they are read again, and the figures come close to an LRU's.
//
// Invariants: the cached pages take at most the capacity; an eviction is remembered as long as the active list could be as
// large as what was evicted since.
type Linux struct {
	capacity int64
	others   int64 // bytes of other pages in the active list
	seen     bool  // accesses move pages
	scale    int64 // the simulated cache is scale times as large: this is a 1/scale sample of it
	queues
	// age is the number of bytes evicted and activated so far (lruvec->nonresident_age).
	age       int64
	evictedAt []int64 // by node: the age when the block was evicted
	activated bool    // an evicted page was activated since the last scan
}

// Queues of Linux.
const (
	inactiveList = iota
	activeList
	evictedList
)

const (
	// reclaimedTogether is the number of pages that the kernel evicts at least when it needs
	// memory, and scans of a list before it turns to the other (SWAP_CLUSTER_MAX).
	reclaimedTogether = 32
	// firstScan says that a first scan takes a 4096th of a list (DEF_PRIORITY).
	firstScan = 12
)

// NewLinux returns an empty cache of capacity bytes for files that are read with read calls.
func NewLinux(capacity int64) *Linux {
	return &Linux{capacity: capacity, scale: 1, seen: true, queues: newQueues()}
}

// NewLinuxUnseen returns an empty cache of capacity bytes for files that are mapped for random access, whose accesses the
// kernel ignores. others is the size in bytes of other pages in the active list, such as the program's, beside the capacity.
func NewLinuxUnseen(capacity, others int64) *Linux {
	return &Linux{capacity: capacity, scale: 1, others: others, queues: newQueues()}
}

func (c *Linux) Used() int64 { return c.list[inactiveList].bytes + c.list[activeList].bytes }

func (c *Linux) Access(block uint64, size uint32) bool {
	if at := c.held(block); at != nil32 {
		c.touch(at)
		return true
	}
	c.Add(block, size)
	c.touch(c.held(block))
	return false
}

// Holds reports whether a block is cached. It does not count as an access.
func (c *Linux) Holds(block uint64) bool { return c.held(block) != nil32 }

// Add adds a block that is not cached and was not accessed: readahead.
func (c *Linux) Add(block uint64, size uint32) {
	if int64(size) > c.capacity {
		return
	}
	for c.Used()+int64(size) > c.capacity {
		c.reclaim(int64(size))
	}
	c.add(block, size, c.enters(block))
}

// held returns the node of a cached block, or nil32.
func (c *Linux) held(block uint64) uint32 {
	if at := c.where.find(block); at != nil32 && c.nodes[at].queue != evictedList {
		return at
	}
	return nil32
}

// Mark marks a cached block, until Unmark or its eviction (PG_readahead).
func (c *Linux) Mark(block uint64) {
	if at := c.held(block); at != nil32 {
		c.nodes[at].marked = true
	}
}

// Unmark removes the mark of a block, and reports whether it had one.
func (c *Linux) Unmark(block uint64) (marked bool) {
	if at := c.held(block); at != nil32 {
		marked, c.nodes[at].marked = c.nodes[at].marked, false
	}
	return marked
}

// touch records an access of a block, unless accesses are ignored or at is nil32 (folio_mark_accessed). hits is its
// PG_referenced flag.
func (c *Linux) touch(at uint32) {
	if !c.seen || at == nil32 {
		return
	}
	n := &c.nodes[at]
	switch {
	case n.hits == 0:
		n.hits = 1
	case n.queue == inactiveList:
		n.hits = 0
		c.age += int64(n.size)
		c.move(at, activeList)
	}
}

// enters returns the list that a block enters, and forgets when it was evicted.
func (c *Linux) enters(block uint64) (list uint8) {
	at := c.where.find(block)
	if at == nil32 {
		return inactiveList
	}
	since := c.age - c.evictedAt[at]
	size := c.remove(at)
	if since > c.list[activeList].bytes+c.others {
		return inactiveList
	}
	c.age += int64(size)
	c.activated = true
	return activeList
}

// reclaim evicts at least 32 blocks and the wanted bytes, or all inactive ones.
func (c *Linux) reclaim(wanted int64) {
	blocks := reclaimedTogether
	for shift := firstScan; shift >= 0 && (blocks > 0 || wanted > 0); shift-- {
		evict, deactivate := c.list[inactiveList].bytes>>shift, int64(0)
		if c.activated || c.inactiveIsLow() {
			deactivate = c.list[activeList].bytes >> shift
		}
		for (blocks > 0 || wanted > 0) && (evict > 0 || deactivate > 0) {
			n, bytes := c.scan(inactiveList, &evict, c.evict)
			blocks -= n
			wanted -= bytes
			c.scan(activeList, &deactivate, func(at uint32) { c.move(at, inactiveList) })
		}
	}
	c.activated = false
	c.forget()
}

// inactiveIsLow reports whether the inactive list is low, so that active pages are moved to it. In a large cache, the active
// list may be several times as large (mm/vmscan.c, inactive_is_low).
func (c *Linux) inactiveIsLow() bool {
	inactive, active := c.list[inactiveList].bytes, c.list[activeList].bytes+c.others
	ratio := int64(1)
	if gib := (inactive + active) * c.scale >> 30; gib > 0 {
		ratio = int64(math.Sqrt(float64(10 * gib)))
	}
	return inactive*ratio < active
}

// forget forgets blocks that were evicted too long ago to enter the active list, whatever its size.
func (c *Linux) forget() {
	for {
		last := c.list[evictedList].last
		if last == nil32 || c.age-c.evictedAt[last] <= c.capacity+c.others {
			return
		}
		c.remove(last)
	}
}

// scan takes up to 32 blocks from the end of a list while bytes are left to scan, which it reduces, and
// returns how many blocks and bytes it took. The list holds at least what is left.
func (c *Linux) scan(list uint8, left *int64, take func(at uint32)) (blocks int, bytes int64) {
	for ; blocks < reclaimedTogether && *left > 0; blocks++ {
		at := c.list[list].last
		size := int64(c.nodes[at].size)
		take(at)
		bytes += size
		*left -= size
	}
	return blocks, bytes
}

// evict evicts a block, and remembers when.
func (c *Linux) evict(at uint32) {
	if missing := len(c.nodes) - len(c.evictedAt); missing > 0 {
		c.evictedAt = append(c.evictedAt, make([]int64, missing)...)
	}
	c.evictedAt[at] = c.age
	c.age += int64(c.nodes[at].size)
	c.move(at, evictedList)
}
