package cachesim

import "math/bits"

// Library is what of a library decides, besides its policy, on which blocks its
// cache holds.
type Library struct {
	// Hash and Shard say in which of a cache's shards a block is.
	Hash  func(file, offset uint64) uint64
	Shard func(hash uint64, shards int) int
	// BlockOverhead is what a block takes of the cache besides itself, in bytes.
	BlockOverhead uint32
}

// Pebble takes the shard of a block from its cache's number for the database, the
// file number of its table and its offset. These are for the first database that
// a cache serves.
var (
	// PebbleV1 is FNV-1 over 24 bytes (v1.1.5: internal/cache/clockpro.go, getShard).
	PebbleV1 = Library{Hash: hashV1, Shard: func(hash uint64, shards int) int { return int(hash % uint64(shards)) }}
	// PebbleV2 is the upper bits of a product (v2.1.7: internal/cache/clockpro.go,
	// shardIdx), and keeps 336 bytes of metadata with each block (sstable/block).
	PebbleV2 = Library{Hash: hashV2, BlockOverhead: 336, Shard: func(hash uint64, shards int) int {
		shard, _ := bits.Mul64(hash>>32<<32, uint64(shards))
		return int(shard)
	}}
)

func hashV1(file, offset uint64) uint64 {
	const basis, prime, database = 14695981039346656037, 1099511628211, 2
	h := uint64(basis)
	for _, part := range [...]uint64{database, file, offset} {
		for range 8 {
			h = h*prime ^ part&0xff
			part >>= 8
		}
	}
	return h
}

func hashV2(file, offset uint64) uint64 {
	const factor, database = 11400714819323198485, 1
	return uint64(database)*factor ^ file*factor ^ offset*factor
}

// PebbleShards is how many shards both give a cache, on so many processors: four
// for each, or four in all if shards would be smaller than 4 MiB.
func PebbleShards(cacheBytes int64, processors int) int {
	const fewest, smallest = 4, 4 << 20
	if shards := fewest * processors; cacheBytes/int64(shards) >= smallest {
		return shards
	}
	return fewest
}
