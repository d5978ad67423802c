package cachesim

import (
	"cmp"
	"slices"
)

// Static always holds the same blocks: those with the most accesses per byte. While the
// rates of blocks stay the same, no cache that cannot see the future hits more often, up to
// the last block that does not fit.
//
// Invariant: every block with more accesses per byte than a cached one is cached too, except
// those that did not fit.
type Static struct {
	held blockMap
	used int64
}

// Rate is the rate of accesses of a block, in any unit.
type Rate struct {
	Block    uint64
	Size     uint32 // at least 1
	Accesses float64
}

// NewStatic returns a cache of capacity bytes that holds the best of the blocks. It sorts rates.
func NewStatic(capacity int64, rates []Rate) *Static {
	slices.SortFunc(rates, func(a, b Rate) int {
		return cmp.Or(
			cmp.Compare(b.Accesses/float64(b.Size), a.Accesses/float64(a.Size)),
			cmp.Compare(a.Block, b.Block),
		)
	})
	c := &Static{held: newBlockMap()}
	for _, r := range rates {
		if c.used+int64(r.Size) <= capacity {
			c.held.put(r.Block, 0)
			c.used += int64(r.Size)
		}
	}
	return c
}

// Used implements Policy.
func (c *Static) Used() int64 { return c.used }

// Access implements Policy.
func (c *Static) Access(block uint64, _ uint32) bool { return c.held.find(block) != nil32 }
