package cachesim

// Library is what of a library decides on which blocks its cache holds.
type Library struct {
	// New makes one shard of its cache, of so many bytes.
	New func(capacity int64) Policy
	// Hash and Shard say in which of a cache's shards a block is.
	Hash  func(file, offset uint64) uint64
	Shard func(hash uint64, shards int) int
	// BlockOverhead is what a block takes of the cache besides itself, in bytes.
	BlockOverhead uint32
}

// LevelDB is goleveldb, whose cache is one LRU (leveldb/cache/lru.go). What a block
// takes of it besides itself depends on its size, and is the engine's to say.
var LevelDB = Library{
	New:   func(capacity int64) Policy { return NewLRU(capacity) },
	Hash:  func(_, _ uint64) uint64 { return 0 },
	Shard: func(uint64, int) int { return 0 },
}
