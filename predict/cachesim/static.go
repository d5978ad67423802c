package cachesim

import (
	"cmp"
	"slices"
)

// Static holds the same blocks for ever: those with most accesses per byte.
// Nothing that does not know the order of the accesses beforehand serves more of
// a stream whose blocks keep their rates, but for the last block that does not
// fit whole.
//
// Invariant: no block outside has more accesses per byte than one inside, but for
// those that no longer fitted.
type Static struct {
	held directory
	used int64
}

// Rate is how often a block is accessed, in any unit.
type Rate struct {
	Block    uint64
	Size     uint32 // at least 1
	Accesses float64
}

// NewStatic returns a cache of so many bytes that holds the best of the blocks.
// It sorts rates.
func NewStatic(capacity int64, rates []Rate) *Static {
	slices.SortFunc(rates, func(a, b Rate) int {
		return cmp.Or(
			cmp.Compare(b.Accesses/float64(b.Size), a.Accesses/float64(a.Size)),
			cmp.Compare(a.Block, b.Block),
		)
	})
	c := &Static{held: newDirectory()}
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
