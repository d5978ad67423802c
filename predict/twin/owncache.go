package twin

import (
	"fmt"
	"slices"

	"getio/engine/readpath"
	"getio/predict/cachesim"
	"getio/record"
)

// ownCache is a Cache simulated as the library has it, all of it.
type ownCache struct {
	cachesim.Cache
	tree          *Tree
	misses, bytes readpath.PerComponent
	device        pageCaches
}

func (t *Tree) newOwnCache(c Cache) (simulated, error) {
	if c.Sampled != c.Shards {
		return nil, fmt.Errorf("%d of %d shards of this library's cache cannot be simulated: simulate all", c.Sampled, c.Shards)
	}
	libraries := cachesim.VariantsOf(t.opts.Library.Cache, c.Shards, false)
	return newVarying(len(libraries), func(i int) (simulated, error) {
		own, err := libraries[i].New(c.Bytes, 0, c.Shards)
		return &ownCache{Cache: own, tree: t}, err
	})
}

func (c *ownCache) begin() {
	c.misses, c.bytes = readpath.PerComponent{}, readpath.PerComponent{}
	c.device.begin()
}

func (c *ownCache) put(t *Tree, memory []record.PredictedMemory) {
	c.device = t.newPageCaches(memory, 1)
}

func (c *ownCache) access(accesses []Access) {
	for i := range accesses {
		a := &accesses[i]
		if !c.Access(c.tree.tables[a.table].cached(a)) {
			c.misses[a.Component]++
			c.bytes[a.Component] += int64(a.bytes)
			c.device.miss(a)
		}
	}
}

func (c *ownCache) estimate(to *Counts) {
	to.Device = slices.Clone(c.device.counts)
	for component, n := range c.misses {
		to.Misses[component], to.MissBytes[component] = float64(n), float64(c.bytes[component])
	}
}

// cached returns the accessed block as the library's cache knows it: the table stands for its file,
// the number of the block for its offset.
func (p *table) cached(a *Access) cachesim.Block {
	n := a.Block - p.first
	return cachesim.Block{
		Number: a.Block, File: uint64(p.number), Offset: int64(n), Stored: a.stored, Size: a.bytes, Component: a.Component,
		TopFilter: n == filterBlock && p.partitions > 0, Found: a.found,
	}
}
