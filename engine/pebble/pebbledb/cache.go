package pebbledb

import (
	"runtime"
	"sync"

	"getio/engine"
)

// procs serialises changes of GOMAXPROCS around the making of caches.
var procs sync.Mutex

// WithShards runs makeCache so that the library makes the wanted number of
// shards, or as many as it would for a cache of cfg.CacheBytes if none is
// wanted, and returns that number. The libraries derive it from GOMAXPROCS and
// the cache's size at that moment and offer no other way. makeCache may make a
// cache larger than cfg.CacheBytes, not smaller.
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

// Reserve is how what an open sets aside from the cache for memtables differs
// from what a running database with an empty memtable does. Open evens it out,
// so that blocks have the same room whatever the engine and whatever the
// write-ahead log holds.
type Reserve struct {
	Excess  int64 // set aside for what the log holds
	Missing int64 // not set aside: v1 makes no memtable if the log is empty
}

// NewReserve compares with the library's two memtable sizes after an open. It
// states the second as the difference between what is set aside and the first,
// which may wrap around.
func NewReserve(c *Config, size, zombie uint64) Reserve {
	excess := int64(size+zombie) - c.ReservedBytes()
	return Reserve{Excess: max(excess, 0), Missing: max(-excess, 0)}
}

// LibraryBytes is the size to ask the library for, for a cache of the given
// size. A cache of 0 is one that keeps nothing and stays so.
func (r Reserve) LibraryBytes(cacheBytes int64) int64 {
	if cacheBytes == 0 {
		return 0
	}
	return cacheBytes + r.Excess
}
