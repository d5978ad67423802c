package twin

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/record"
)

// Cache is a block cache to simulate.
type Cache struct {
	Policy string // the library's own, or a name of cachesim.New
	Bytes  int64  // for blocks, without what is reserved
	Shards int
	// Sampled is how many of the shards are simulated. Shards do not depend on each other, so
	// each simulated one is exact.
	Sampled int
}

// Check returns an error for a cache that cannot exist.
func (c Cache) Check() error {
	switch {
	case c.Bytes <= 0:
		return fmt.Errorf("a cache of %d bytes holds no block: choose a larger one", c.Bytes)
	case c.Shards < 1 || c.Shards > maxShards:
		return fmt.Errorf("a cache cannot have %d shards: choose 1 to %d", c.Shards, maxShards)
	case c.Sampled < 1 || c.Sampled > c.Shards:
		return fmt.Errorf("%d of %d shards cannot be simulated: choose a number between 1 and all of them", c.Sampled, c.Shards)
	}
	return nil
}

const maxShards = 1 << 12

// simulated is a Cache under simulation.
type simulated interface {
	// begin begins a run.
	begin()
	// access looks up blocks.
	access([]Access)
	// estimate sets the misses of a run.
	estimate(to *Counts)
	// put adds page caches behind it, one for each division of a memory. It must be called before the first run.
	put(t *Tree, memory []record.PredictedMemory)
}

// newCache returns an empty cache: the library's own if it has the policy, else one with shards
// of the policy.
func (t *Tree) newCache(c Cache) (simulated, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if t.own(c) {
		return t.newOwnCache(c)
	}
	variants := placements
	if c.Shards == 1 || c.Sampled < c.Shards || t.indexBlocks() > uint64(c.Shards)*manyInShard {
		variants = 1
	}
	return newVarying(variants, func(i int) (simulated, error) { return newCache(c, t.sharding.Shard, uint64(i)) })
}

// The shape does not say which shards the index blocks belong to. With more than manyInShard in each, that makes hardly
// a difference. Otherwise, several random placements are simulated.
const (
	manyInShard = 64
	placements  = 5
)

// indexBlocks returns the number of second-level index blocks.
func (t *Tree) indexBlocks() (n uint64) {
	for i := range t.tables {
		n += t.tables[i].index
	}
	return n
}

// own reports whether the cache must be simulated as the library has it, not shard by shard.
func (t *Tree) own(c Cache) bool {
	l := &t.opts.Library
	return !l.Sharded() && c.Policy == l.Cache.Policy()
}

// cache is a Cache whose shards do not depend on each other. Some of them are simulated.
type cache struct {
	Cache
	shard  func(hash uint64, shards int) int
	salt   uint64  // places blocks of unknown shards; with 0, they are where their hashes say
	shards []shard // those simulated
	// sample selects the blocks of the simulated shards by their first pages, if there are page caches. Sampling by shards
	// would separate neighbouring blocks, which share pages. It is 1 if all shards are simulated, or no page cache is.
	sample cachesim.Sample
	device pageCaches
}

func (c *cache) shardOf(a *Access) int {
	hash := a.hash
	if c.salt > 0 && !byAccesses(a.Component) {
		random := wyrand.New(hash ^ c.salt)
		hash = random.Uint64()
	}
	if c.sample > 1 {
		return c.shard(hash, c.Sampled)
	}
	return c.shard(hash, c.Shards)
}

// shard is one shard, with the counts of the present run.
type shard struct {
	cachesim.Policy
	accesses, misses readpath.PerComponent
	bytes            readpath.PerComponent // of misses
}

func newCache(c Cache, shardOf func(hash uint64, shards int) int, salt uint64) (*cache, error) {
	k := &cache{Cache: c, shard: shardOf, salt: salt, sample: 1}
	for range c.Sampled {
		p, err := cachesim.New(c.Policy, c.Bytes/int64(c.Shards))
		if err != nil {
			return nil, err
		}
		k.shards = append(k.shards, shard{Policy: p})
	}
	return k, nil
}

func (c *cache) put(t *Tree, memory []record.PredictedMemory) {
	for c.Shards%c.Sampled > 0 {
		c.Sampled-- // a sample of one in n blocks needs an nth of the shards
	}
	c.shards = c.shards[:c.Sampled]
	c.sample = cachesim.Sample(c.Shards / c.Sampled)
	c.device = t.newPageCaches(memory, c.sample)
}

func (c *cache) begin() {
	for i := range c.shards {
		c.shards[i] = shard{Policy: c.shards[i].Policy}
	}
	c.device.begin()
}

func (c *cache) access(accesses []Access) {
	for i := range accesses {
		a := &accesses[i]
		if c.sample > 1 && !c.device.tree.inSample(c.sample, a) {
			continue
		}
		at := c.shardOf(a)
		if at >= len(c.shards) {
			continue
		}
		shard := &c.shards[at]
		shard.accesses[a.Component]++
		if !shard.Access(a.Block, a.Size) {
			shard.misses[a.Component]++
			shard.bytes[a.Component] += int64(a.bytes)
			c.device.miss(a)
		}
	}
}

// estimate sets the misses of a run from the simulated shards. Accesses are counted exactly.
//
// Filters and top indexes are few and differ in how often they are accessed, so shards differ
// more in their accesses than in their miss rates: misses are scaled by accesses. Index and
// data blocks are many, so all shards miss about as often. But a few of them, accessed by every
// false positive in a wide gap, add accesses and hits to some shards: misses are scaled by shards.
func (c *cache) estimate(to *Counts) {
	to.Device = slices.Clone(c.device.counts)
	var accesses, misses, bytes readpath.PerComponent
	for i := range c.shards {
		accesses = accesses.Add(c.shards[i].accesses)
		misses = misses.Add(c.shards[i].misses)
		bytes = bytes.Add(c.shards[i].bytes)
	}
	var rate readpath.Means
	for component, n := range accesses {
		scale := float64(c.Shards) / float64(c.Sampled)
		if byAccesses(readpath.Component(component)) && n > 0 {
			rate[component] = float64(misses[component]) / float64(n)
			scale = float64(to.Accesses[component]) / float64(n)
		}
		to.Misses[component] = min(scale*float64(misses[component]), float64(to.Accesses[component]))
		to.MissBytes[component] = scale * float64(bytes[component])
	}
	n := float64(c.Sampled)
	if c.Sampled == 1 {
		return
	}
	// The standard error of both estimates together (Cochran: Sampling Techniques, 2.6 and 6.4). The simulated shards are
	// not those of the database, whose blocks are spread in another way: that has an error of its own.
	squares := 0.0
	for i := range c.shards {
		off := 0.0
		for component, m := range c.shards[i].misses {
			expected := float64(misses[component]) / n
			if byAccesses(readpath.Component(component)) {
				expected = rate[component] * float64(c.shards[i].accesses[component])
			}
			off += float64(m) - expected
		}
		squares += off * off
	}
	to.MissError = float64(c.Shards) * math.Sqrt(squares/(n-1)*(1/n+1/float64(c.Shards)))
}

// byAccesses reports whether a component's misses are scaled by accesses, not by shards.
func byAccesses(c readpath.Component) bool {
	return c == readpath.Filter || c == readpath.TopIndex || c == readpath.Other
}

// varyingCache simulates at least two variants of a cache. A run's misses are their mean.
type varyingCache []simulated

// newVarying returns a cache of so many variants; the variant itself if it is the only one.
func newVarying(n int, variant func(i int) (simulated, error)) (simulated, error) {
	var variants varyingCache
	for i := range n {
		v, err := variant(i)
		if err != nil || n == 1 {
			return v, err
		}
		variants = append(variants, v)
	}
	return variants, nil
}

func (k varyingCache) begin() {
	for _, c := range k {
		c.begin()
	}
}

// put adds page caches behind the first variant: what devices read hardly depends on the variant.
func (k varyingCache) put(t *Tree, memory []record.PredictedMemory) { k[0].put(t, memory) }

func (k varyingCache) access(accesses []Access) {
	for _, c := range k {
		c.access(accesses)
	}
}

func (k varyingCache) estimate(to *Counts) {
	var sums []float64
	empty := *to
	for _, c := range k {
		variant := empty
		c.estimate(&variant)
		for component, misses := range variant.Misses {
			to.Misses[component] += misses / float64(len(k))
			to.MissBytes[component] += variant.MissBytes[component] / float64(len(k))
		}
		if variant.Device != nil {
			to.Device = variant.Device
		}
		sums = append(sums, variant.Misses.Sum())
	}
	to.MissError = stat.StdDev(sums, nil)
}
