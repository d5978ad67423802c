package cachesim

import "math/bits"

// A block of a Pebble database is in the shard that a hash of its cache's number
// for the database, its table's file number and its offset says. These are the
// hashes for the first database that a cache serves.

// ShardV1 is the shard of a block in a cache of Pebble v1 (v1.1.5:
// internal/cache/clockpro.go, getShard): FNV-1 over 24 bytes.
func ShardV1(file, offset uint64, shards int) int {
	const basis, prime, database = 14695981039346656037, 1099511628211, 2
	h := uint64(basis)
	for _, part := range [...]uint64{database, file, offset} {
		for range 8 {
			h = h*prime ^ part&0xff
			part >>= 8
		}
	}
	return int(h % uint64(shards))
}

// ShardV2 is the shard of a block in a cache of Pebble v2 (v2.1.7:
// internal/cache/clockpro.go, shardIdx): the upper bits of a product.
func ShardV2(file, offset uint64, shards int) int {
	const factor, database = 11400714819323198485, 1
	h := uint64(database) * factor & (1<<64 - 1)
	h ^= file * factor
	h ^= offset * factor
	shard, _ := bits.Mul64(h>>32<<32, uint64(shards))
	return int(shard)
}
