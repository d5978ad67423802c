package cachesim

import "math/bits"

// blockMap maps blocks to nodes: a hash table with open addressing and linear probing.
// Block and node lie side by side, so that a lookup usually takes one cache line.
//
// Invariants: at most two thirds of the slots are taken; no slot between a block's home slot
// and its own is free.
type blockMap struct {
	slots []slot
	shift uint // 64 minus the bits of a slot number
	n     int
}

// slot is free if node is nil32.
type slot struct {
	block uint64
	node  uint32
}

// nil32 stands for the absence of a node.
const nil32 = ^uint32(0)

const smallestBlockMap = 1 << 6

func newBlockMap() blockMap {
	var m blockMap
	m.clear(smallestBlockMap)
	return m
}

func (m *blockMap) clear(size int) {
	m.slots = make([]slot, size)
	for i := range m.slots {
		m.slots[i].node = nil32
	}
	m.shift = uint(64 - bits.TrailingZeros(uint(size)))
	m.n = 0
}

// home returns the slot at which the search for a block begins.
func (m *blockMap) home(block uint64) int {
	// Block numbers are often consecutive or end in zeros: fold the upper half in before
	// the upper bits of the product are taken.
	return int((block ^ block>>32) * 0x9e3779b97f4a7c15 >> m.shift)
}

// find returns the node of a block, or nil32.
func (m *blockMap) find(block uint64) uint32 {
	slots := m.slots
	for i := m.home(block); ; i++ {
		s := &slots[i&(len(slots)-1)]
		if s.node == nil32 || s.block == block {
			return s.node
		}
	}
}

// put adds a block, which must be absent.
func (m *blockMap) put(block uint64, node uint32) {
	if 3*(m.n+1) > 2*len(m.slots) {
		m.grow()
	}
	m.n++
	slots := m.slots
	i := m.home(block)
	for slots[i&(len(slots)-1)].node != nil32 {
		i++
	}
	slots[i&(len(slots)-1)] = slot{block, node}
}

func (m *blockMap) grow() {
	old := m.slots
	m.clear(2 * len(old))
	for _, s := range old {
		if s.node != nil32 {
			m.put(s.block, s.node)
		}
	}
}

// remove deletes a block, which must be present, and moves up later ones that would
// no longer be found.
func (m *blockMap) remove(block uint64) {
	m.n--
	slots := m.slots
	mask := len(slots) - 1
	free := m.home(block) & mask
	for slots[free].block != block || slots[free].node == nil32 {
		free = (free + 1) & mask
	}
	for i := (free + 1) & mask; slots[i].node != nil32; i = (i + 1) & mask {
		// Distances wrap around the end of the table.
		if home := m.home(slots[i].block); (i-home)&mask >= (i-free)&mask {
			slots[free] = slots[i]
			free = i
		}
	}
	slots[free].node = nil32
}
