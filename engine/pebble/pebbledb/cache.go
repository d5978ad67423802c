package pebbledb

import (
	"runtime"
	"sync"

	"getio/engine"
)

// procs serialises changes of GOMAXPROCS while caches are created.
var procs sync.Mutex

// WithShards runs makeCache with GOMAXPROCS set so that the library creates cfg.Shards
// shards, and returns their number. If cfg.Shards is 0, it is the number that the library
// would choose for a cache of cfg.CacheBytes. The libraries derive the number from
// GOMAXPROCS and the cache size, and have no option for it. makeCache may create a cache
// larger than cfg.CacheBytes, but not a smaller one.
func WithShards(cfg engine.OpenConfig, makeCache func()) (int, error) {
	procs.Lock()
	defer procs.Unlock()
	now := runtime.GOMAXPROCS(0)
	shards := cfg.Shards
	if shards == 0 {
		shards = Shards(cfg.CacheBytes, now)
	}
	want, err := ShardProcs(cfg.CacheBytes, shards)
	if err != nil {
		return 0, err
	}
	if want != now {
		runtime.GOMAXPROCS(want)
		defer runtime.GOMAXPROCS(now)
	}
	makeCache()
	return shards, nil
}

// Reserve is the difference between the cache memory that a read-only open reserves for
// memtables and the memory that a running database with an empty memtable reserves. A
// Store compensates for it, so that every engine has the same cache memory for blocks,
// whatever the write-ahead log holds.
type Reserve struct {
	Excess  int64 // reserved for the contents of the log
	Missing int64 // not reserved: v1 creates no memtable if the log is empty
}

// NewReserve computes the Reserve from the library's two memtable metrics after an open.
// zombie is the memory reserved minus size, and may wrap around.
func NewReserve(c *Config, size, zombie uint64) Reserve {
	excess := int64(size+zombie) - c.ReservedBytes()
	return Reserve{Excess: max(excess, 0), Missing: max(-excess, 0)}
}

// LibraryBytes returns the size to pass to the library for a cache of the given size. A
// cache of size 0 stays 0: it holds no blocks.
func (r Reserve) LibraryBytes(cacheBytes int64) int64 {
	if cacheBytes == 0 {
		return 0
	}
	return cacheBytes + r.Excess
}
