package twin

import (
	"fmt"
	"math"

	"getio/cachesim"
	"getio/readpath"
)

// Cache is a block cache to simulate.
type Cache struct {
	Policy string // as cachesim.New knows it
	Bytes  int64  // for blocks, what is reserved for others left out
	Shards int
	// Sampled is how many of the shards are simulated. A shard sees a random part
	// of the blocks, and knows nothing of the others: what is sampled is exact.
	Sampled int
}

// Check says why there can be no such cache.
func (c Cache) Check() error {
	switch {
	case c.Bytes <= 0:
		return fmt.Errorf("a cache of %d bytes holds no block", c.Bytes)
	case c.Shards < 1 || c.Shards > maxShards:
		return fmt.Errorf("no cache of %d shards: take 1 to %d", c.Shards, maxShards)
	case c.Sampled < 1 || c.Sampled > c.Shards:
		return fmt.Errorf("no sample of %d shards of %d", c.Sampled, c.Shards)
	}
	_, err := cachesim.New(c.Policy, 1)
	return err
}

const maxShards = 1 << 12

// cache is a Cache under simulation.
type cache struct {
	Cache
	shard  func(hash uint64, shards int) int
	shards []shard // those simulated
}

// shard is one shard, and what became of its blocks in the present run.
type shard struct {
	cachesim.Policy
	accesses, misses readpath.PerComponent
	bytes            readpath.PerComponent // of misses
}

func newCache(c Cache, shardOf func(hash uint64, shards int) int) (*cache, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	k := &cache{Cache: c, shard: shardOf}
	for range c.Sampled {
		p, err := cachesim.New(c.Policy, c.Bytes/int64(c.Shards))
		if err != nil {
			return nil, err
		}
		k.shards = append(k.shards, shard{Policy: p})
	}
	return k, nil
}

// begin begins a run.
func (c *cache) begin() {
	for i := range c.shards {
		s := &c.shards[i]
		s.accesses, s.misses, s.bytes = readpath.PerComponent{}, readpath.PerComponent{}, readpath.PerComponent{}
	}
}

// access reads blocks through the cache.
func (c *cache) access(steps []step) {
	for i := range steps {
		s := &steps[i]
		at := c.shard(s.hash, c.Shards)
		if at >= len(c.shards) {
			continue
		}
		shard := &c.shards[at]
		shard.accesses[s.component]++
		if !shard.Access(s.block, s.size) {
			shard.misses[s.component]++
			shard.bytes[s.component] += int64(s.size)
		}
	}
}

// estimate fills in the misses of a run whose accesses are all counted. Those of
// a sample are taken by the accesses that it had of each component, which differ
// more from shard to shard than how many of them are misses.
func (c *cache) estimate(to *Counts) {
	var accesses, misses, bytes readpath.PerComponent
	for i := range c.shards {
		accesses = accesses.Add(c.shards[i].accesses)
		misses = misses.Add(c.shards[i].misses)
		bytes = bytes.Add(c.shards[i].bytes)
	}
	var rate [readpath.NumComponents]float64
	for component, n := range accesses {
		if n > 0 {
			rate[component] = float64(misses[component]) / float64(n)
			to.Misses[component] = rate[component] * float64(to.Accesses[component])
			to.MissBytes[component] = float64(bytes[component]) / float64(n) * float64(to.Accesses[component])
		}
	}
	n := float64(c.Sampled)
	if c.Sampled == 1 || c.Sampled == c.Shards {
		return
	}
	// The standard error of a ratio estimate, from a sample without replacement
	// (Cochran: Sampling Techniques, 6.4).
	squares := 0.0
	for i := range c.shards {
		off := 0.0
		for component, m := range c.shards[i].misses {
			off += float64(m) - rate[component]*float64(c.shards[i].accesses[component])
		}
		squares += off * off
	}
	to.MissError = float64(c.Shards) * math.Sqrt(squares/(n-1)/n*(1-n/float64(c.Shards)))
}
