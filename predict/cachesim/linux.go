package cachesim

// LinuxUnseen is how Linux 6.3 and later cache file pages whose accesses they ignore, since a process has
// mapped the file for random access (system/pagecache), within a limit of the process's memory. A page
// moves only when it is read, and when memory is needed:
//
//   - A page that was read enters the inactive list. It enters the active list instead if it was evicted
//     recently: what was evicted and activated since then fits the active list (mm/workingset.c).
//   - When memory is needed, both lists are scanned by the same share of their sizes, which doubles until 32
//     pages are evicted. Pages at the end of the inactive list are evicted. Pages at the end of the
//     active list return to the inactive one, if that is the smaller one or if pages were
//     activated since memory was last needed (mm/vmscan.c).
//
// An active list that is empty at first stays empty: then the cache is a FIFO. This follows Linux 6.18
// without CONFIG_LRU_GEN, with one difference: the kernel may take the size of the active list and the
// activations from counts that are up to two seconds old. If the machine itself lacks memory, the kernel evicts pages of
// the group besides. It compares how old these are with the active pages of the machine, so that most of them become
// active when they are read again, and the figures come close to an LRU's.
//
// Invariants: what it holds takes at most the capacity; it remembers evictions as long as
// the active list could be as large as what was evicted since.
type LinuxUnseen struct {
	capacity int64
	others   int64 // bytes of other pages in the active list
	queues
	// age is the number of bytes evicted and activated so far (lruvec->nonresident_age).
	age       int64
	evictedAt []int64 // by node: the age when the block was evicted
	activated bool    // since memory was last needed
}

// Queues of LinuxUnseen.
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

// NewLinuxUnseen returns an empty cache of capacity bytes. others is the size of other pages in the
// active list, such as the program's, which stay there beside the capacity.
func NewLinuxUnseen(capacity, others int64) *LinuxUnseen {
	return &LinuxUnseen{capacity: capacity, others: others, queues: newQueues()}
}

func (c *LinuxUnseen) Used() int64 { return c.list[inactiveList].bytes + c.list[activeList].bytes }

func (c *LinuxUnseen) Access(block uint64, size uint32) bool {
	if at := c.where.find(block); at != nil32 && c.nodes[at].queue != evictedList {
		return true
	}
	if int64(size) > c.capacity {
		return false
	}
	for c.Used()+int64(size) > c.capacity {
		c.reclaim(int64(size))
	}
	c.add(block, size, c.enters(block))
	return false
}

// enters returns the list that a block enters, and forgets when it was evicted.
func (c *LinuxUnseen) enters(block uint64) (list uint8) {
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
func (c *LinuxUnseen) reclaim(wanted int64) {
	blocks := reclaimedTogether
	for shift := firstScan; shift >= 0 && (blocks > 0 || wanted > 0); shift-- {
		evict, deactivate := c.list[inactiveList].bytes>>shift, int64(0)
		if c.activated || c.list[inactiveList].bytes < c.list[activeList].bytes+c.others {
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

// forget forgets blocks that were evicted too long ago to enter the active list, whatever its size.
func (c *LinuxUnseen) forget() {
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
func (c *LinuxUnseen) scan(list uint8, left *int64, take func(at uint32)) (blocks int, bytes int64) {
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
func (c *LinuxUnseen) evict(at uint32) {
	if missing := len(c.nodes) - len(c.evictedAt); missing > 0 {
		c.evictedAt = append(c.evictedAt, make([]int64, missing)...)
	}
	c.evictedAt[at] = c.age
	c.age += int64(c.nodes[at].size)
	c.move(at, evictedList)
}
