package replay

import (
	"fmt"
	"math"

	"getio/predict/cachesim"
)

// scaled simulates caches that are scaled down with a sample.
type scaled struct {
	library  cachesim.Library
	rate     float64
	blocks   map[uint64]*sampled
	policies [][]cachesim.Policy // by cache and shard
	results  []PerGet
}

// newScaled returns caches of which every shard keeps about the size that it has in full: a scaled
// cache has fewer of them.
func newScaled(library cachesim.Library, caches []Cache, rate float64, blocks map[uint64]*sampled) (*scaled, error) {
	s := &scaled{library: library, rate: rate, blocks: blocks, policies: make([][]cachesim.Policy, len(caches)), results: make([]PerGet, len(caches))}
	for i, c := range caches {
		shards := max(int(math.Round(float64(c.Shards)*rate)), 1)
		room := float64(c.Bytes-c.Reserved) * rate / float64(shards)
		for range shards {
			policy, err := cachesim.New(library.Policy(), max(int64(room), 1))
			if err != nil {
				return nil, fmt.Errorf("a sample of Gets cannot be simulated in the cache of this library (%w): record all Gets", err)
			}
			s.policies[i] = append(s.policies[i], policy)
		}
	}
	return s, nil
}

func (s *scaled) access(a *cachesim.Block, counted bool) {
	at := a.Number
	repeat := s.blocks[at].repeat
	size := uint32(max(math.Round(float64(s.library.Charge(*a))/repeat), 1))
	count := 1 / (repeat * s.rate)
	for i, shards := range s.policies {
		hit := shards[s.library.ShardOf(*a, len(shards))].Access(at, size)
		if !counted {
			continue
		}
		s.results[i].Accesses[a.Component] += count
		if !hit {
			s.results[i].Misses[a.Component] += count
		}
	}
}
