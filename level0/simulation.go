package level0

import (
	"getio/cachesim"
	"getio/engine"
)

// simulation is a library's cache, and how it serves the indexes of L0.
type simulation struct {
	library cachesim.Library
	shards  []cachesim.Policy
	// counted: what is asked for from now on counts.
	counted     bool
	asked, read int
}

func newSimulation(library cachesim.Library, cache engine.Cache) *simulation {
	s := &simulation{library: library}
	n := int64(cache.Shards)
	for range n {
		s.shards = append(s.shards, library.New(cache.Bytes/n-(cache.Reserved+n-1)/n))
	}
	return s
}

// ask asks for a block as that of some file, and tells whether the cache has it.
func (s *simulation) ask(b tracedBlock, file uint64) (hit bool) {
	shard := s.shards[s.library.Shard(s.library.Hash(file, b.offset), len(s.shards))]
	hit = shard.Access(file<<32|b.offset, b.size)
	if b.index && s.counted {
		s.asked++
		if !hit {
			s.read++
		}
	}
	return hit
}
