package cachesim

import "math/bits"

// Pebble is a version of Pebble.
type Pebble struct {
	// Hash and Shard choose the shard of a block.
	Hash  func(file, offset uint64) uint64
	Shard func(hash uint64, shards int) int
	// BlockOverhead is the bytes that each cached block is charged beside its size.
	BlockOverhead uint32
}

// Pebble hashes the cache's number for the database, the file number of the table and the
// offset of the block. These are for the first database that a cache serves.
var (
	// PebbleV1 is FNV-1 over 24 bytes (v1.1.5: internal/cache/clockpro.go, getShard).
	PebbleV1 = Pebble{Hash: hashV1, Shard: func(hash uint64, shards int) int { return int(hash % uint64(shards)) }}
	// PebbleV2 takes the upper bits of a product (v2.1.7: internal/cache/clockpro.go,
	// shardIdx) and keeps 336 bytes of metadata with each block (sstable/block).
	PebbleV2 = Pebble{Hash: hashV2, BlockOverhead: 336, Shard: func(hash uint64, shards int) int {
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

func (Pebble) Policy() string { return NameClockPro }

// Shards implements Library: four per processor, or four in all if shards would be smaller than 4 MiB. Both versions
// do so.
func (Pebble) Shards(cacheBytes int64, processors int) int {
	const fewest, smallest = 4, 4 << 20
	if shards := fewest * processors; cacheBytes/int64(shards) >= smallest {
		return shards
	}
	return fewest
}

func (p Pebble) Charge(b Block) uint32 { return b.Size + p.BlockOverhead }

func (p Pebble) ShardOf(b Block, shards int) int {
	return p.Shard(p.Hash(b.File, uint64(b.Offset)), shards)
}

func (p Pebble) New(bytes, reserved int64, shards int) (Cache, error) {
	return newShardedCache(p, bytes, reserved, shards)
}
