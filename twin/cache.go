package twin

import (
	"fmt"

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
	shards []cachesim.Policy
	shard  func(hash uint64, shards int) int
	misses []readpath.PerComponent // of each shard simulated, in the present run
}

func newCache(c Cache, s cachesim.Sharding) (*cache, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	k := &cache{Cache: c, shard: s.Shard, misses: make([]readpath.PerComponent, c.Sampled)}
	for range c.Sampled {
		p, err := cachesim.New(c.Policy, c.Bytes/int64(c.Shards))
		if err != nil {
			return nil, err
		}
		k.shards = append(k.shards, p)
	}
	return k, nil
}

// access reads blocks through the cache.
func (c *cache) access(steps []step) {
	for i := range steps {
		s := &steps[i]
		shard := c.shard(s.hash, c.Shards)
		if shard >= len(c.shards) {
			continue
		}
		if !c.shards[shard].Access(s.block, s.size) {
			c.misses[shard][s.component]++
		}
	}
}
