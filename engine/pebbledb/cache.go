package pebbledb

import (
	"runtime"
	"sync"
)

// procs serialises changes of GOMAXPROCS around the making of caches.
var procs sync.Mutex

// WithShards runs makeCache so that the library makes the wanted number of
// shards, or its own choice if that is 0, and returns the number made. The
// libraries derive it from GOMAXPROCS at that moment and offer no other way.
func WithShards(bytes int64, shards int, makeCache func()) (int, error) {
	procs.Lock()
	defer procs.Unlock()
	now := runtime.GOMAXPROCS(0)
	if shards == 0 {
		makeCache()
		return Shards(bytes, now), nil
	}
	want, err := ShardProcs(bytes, shards)
	if err != nil {
		return 0, err
	}
	runtime.GOMAXPROCS(want)
	defer runtime.GOMAXPROCS(now)
	makeCache()
	return shards, nil
}

// Reserved is what memtables have set aside from the cache, from the library's
// two memtable sizes: it states the second as the difference of what is set
// aside and the first, which may wrap around.
func Reserved(size, zombie uint64) int64 { return int64(size + zombie) }
