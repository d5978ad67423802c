package level0

import (
	"getio/engine"
	"getio/predict/cachesim"
)

// simulation counts how a simulated cache serves the L0 indexes.
type simulation struct {
	cache simulated
	// counted says that accesses count from now on.
	counted     bool
	asked, read int
}

// simulated is a library's cache. It reports whether it held the block, and holds it
// afterwards.
type simulated func(file uint64, b tracedBlock) (hit bool)

// caches makes the cache of each engine.
var caches = map[string]func(engine.Cache) simulated{
	"pebblev1":  func(c engine.Cache) simulated { return simulatedPebble(cachesim.PebbleV1, c) },
	"pebblev2":  func(c engine.Cache) simulated { return simulatedPebble(cachesim.PebbleV2, c) },
	"goleveldb": simulatedLevelDB,
}

func simulatedPebble(library cachesim.Library, c engine.Cache) simulated {
	n := int64(c.Shards)
	shards := make([]*cachesim.ClockPro, n)
	for i := range shards {
		shards[i] = cachesim.NewClockPro(c.Bytes/n - (c.Reserved+n-1)/n)
	}
	return func(file uint64, b tracedBlock) bool {
		shard := shards[library.Shard(library.Hash(file, uint64(b.offset)), len(shards))]
		return shard.Access(number(file, b), b.size+library.BlockOverhead)
	}
}

func simulatedLevelDB(c engine.Cache) simulated {
	cache := cachesim.NewLevelDB(c.Bytes)
	return func(file uint64, b tracedBlock) bool { return cache.Access(number(file, b), b.stored, b.size) }
}

// number identifies a block.
func number(file uint64, b tracedBlock) uint64 { return file<<32 | uint64(b.offset) }

// ask accesses a block under a given file number and reports whether it was a hit.
func (s *simulation) ask(b tracedBlock, file uint64) (hit bool) {
	hit = s.cache(file, b)
	if b.index && s.counted {
		s.asked++
		if !hit {
			s.read++
		}
	}
	return hit
}
