package replay

import (
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
func newScaled(library cachesim.Library, caches []Cache, rate float64, blocks map[uint64]*sampled) *scaled {
	s := &scaled{library: library, rate: rate, blocks: blocks, policies: make([][]cachesim.Policy, len(caches)), results: make([]PerGet, len(caches))}
	for i, c := range caches {
		shards := max(int(math.Round(float64(c.Shards)*rate)), 1)
		room := float64(c.room()) * float64(c.Shards) * rate / float64(shards)
		for range shards {
			s.policies[i] = append(s.policies[i], cachesim.NewClockPro(max(int64(room), 1)))
		}
	}
	return s
}

func (s *scaled) access(a *Access, counted bool) {
	at := a.place()
	repeat := s.blocks[at].repeat
	size := uint32(max(math.Round(float64(a.Size+s.library.BlockOverhead)/repeat), 1))
	hash := s.library.Hash(a.File, uint64(a.Offset))
	count := 1 / (repeat * s.rate)
	for i, shards := range s.policies {
		hit := shards[s.library.Shard(hash, len(shards))].Access(at, size)
		if !counted {
			continue
		}
		s.results[i].Accesses[a.Component] += count
		if !hit {
			s.results[i].Misses[a.Component] += count
		}
	}
}
