package twin

import (
	"fmt"

	"getio/engine/readpath"
	"getio/predict/cachesim"
)

// ownCache is a Cache simulated as the library has it, all of it.
type ownCache struct {
	cachesim.Cache
	tree          *Tree
	misses, bytes readpath.PerComponent
}

func (t *Tree) newOwnCache(c Cache) (simulated, error) {
	if c.Sampled != c.Shards {
		return nil, fmt.Errorf("%d of %d shards of this library's cache cannot be simulated: simulate all", c.Sampled, c.Shards)
	}
	var variants varyingCache
	for _, library := range cachesim.VariantsOf(t.opts.Library.Cache, c.Shards, false) {
		own, err := library.New(c.Bytes, 0, c.Shards)
		if err != nil {
			return nil, err
		}
		variants = append(variants, &ownCache{Cache: own, tree: t})
	}
	if len(variants) == 1 {
		return variants[0], nil
	}
	return variants, nil
}

func (c *ownCache) begin() { c.misses, c.bytes = readpath.PerComponent{}, readpath.PerComponent{} }

func (c *ownCache) access(accesses []Access) {
	for i := range accesses {
		a := &accesses[i]
		if !c.Access(c.tree.tables[a.table].cached(a)) {
			c.misses[a.Component]++
			c.bytes[a.Component] += int64(a.bytes)
		}
	}
}

func (c *ownCache) estimate(to *Counts) {
	for component, n := range c.misses {
		to.Misses[component], to.MissBytes[component] = float64(n), float64(c.bytes[component])
	}
}

// cached returns the accessed block as the library's cache knows it: the table stands for its file,
// the number of the block for its offset.
func (p *table) cached(a *Access) cachesim.Block {
	n := a.Block - p.first
	return cachesim.Block{
		Number: a.Block, File: uint64(p.number), Offset: int64(n), Stored: p.storedSize(a, n), Size: a.bytes, Component: a.Component,
		TopFilter: n == filterBlock && p.partitions > 0, Found: a.found,
	}
}

// storedSize returns the size in its file of the accessed block, of which n is the number in the table.
func (p *table) storedSize(a *Access, n uint64) uint32 {
	switch a.Component {
	case readpath.TopIndex:
		return p.top.stored
	case readpath.Filter:
		if n == filterBlock {
			return p.filter.stored
		}
		return p.partition.stored
	case readpath.Index:
		return p.indexes.stored
	}
	n -= indexBlock + p.index
	for i := range p.segments {
		if s := &p.segments[i]; n < s.first+s.blocks {
			return s.stored
		}
	}
	panic("a data block beyond the last")
}
