package cachesim

import (
	"fmt"
	"math/bits"
	"slices"

	"getio/engine/blockformat"
	"getio/engine/readpath"
	"getio/engine/rocksdb"
	"getio/numbers/wyrand"
)

// RocksDB is RocksDB, from 7 to 11, with its LRU cache (cache/lru_cache.cc). The cache has two pools. Blocks of
// indexes and filters, and blocks that were ever hit, enter the upper one; what overflows half of the
// cache there sinks to the lower one. Eviction is from the lower one first.
//
// A block enters its pool when the Get releases it, not when it is looked up. A Get releases a data
// block before the index blocks of its table, unless the data block contains the key: then the Get
// holds it until it returns (table/block_based, BlockBasedTable::Get). Held blocks cannot be evicted.
//
// A block is charged for the memory that malloc returned for it, which varies by 16 bytes. In a cache of
// one shard, a few accesses in ten thousand therefore differ between simulation and library. None differ
// if malloc always returns the same amount for a block.
type RocksDB struct {
	Placement uint64 // seed of the choice of a shard for each block whose hash is not known
}

func (RocksDB) Policy() string { return "lru-priorities" }

// Shards implements Library: one for each 512 KiB, 64 at most, and a power of two (cache/sharded_cache.cc,
// GetDefaultCacheShardBits).
func (RocksDB) Shards(cacheBytes int64, _ int) int { return rocksDBShards(cacheBytes, 512<<10) }

func rocksDBShards(cacheBytes, smallest int64) int {
	shards := 1
	for n := cacheBytes / smallest; n > 1 && shards < 64; n /= 2 {
		shards *= 2
	}
	return shards
}

// Of the memory for a block besides its contents, in bytes. The objects are those of the library that is linked.
const rocksDBHandle = 88 // the entry in the cache (LRUHandle, with a key of 16 bytes), as malloc gives it

var (
	rocksDBBlock         = allocated(rocksdb.BlockBytes) // for an index or data block, or the top-level index of a filter (Block)
	rocksDBFilter uint32 = rocksdb.FilterBytes           // for a filter or a partition of one (BlockContents)
)

func (RocksDB) Charge(b Block) uint32 {
	contents := b.Size
	if b.Stored == b.Size+blockformat.TrailerLen { // not compressed: read with its trailer
		contents = b.Stored
	}
	if b.Component == readpath.Filter && !b.TopFilter {
		return allocated(contents) + rocksDBFilter + rocksDBHandle
	}
	return allocated(contents) + rocksDBBlock + rocksDBHandle
}

// allocated is what glibc's malloc gives for a number of bytes: chunks are multiples of 16, of which
// 8 are its own, and at least 32.
func allocated(bytes uint32) uint32 { return max((bytes+8+15)&^15, 32) - 8 }

// ShardOf implements Library. The library's own choice depends on the sessions that wrote the tables. Where it is not
// known, each that spreads blocks evenly is as likely, and in a small cache they differ by the blocks that a shard happens
// to have.
func (r RocksDB) ShardOf(b Block, shards int) int {
	if b.Hash > 0 {
		return int(b.Hash % uint32(shards))
	}
	hash := hashV1(b.File, uint64(b.Offset)) + r.Placement
	return int(wyrand.New(hash).Uint64() % uint64(shards)) // the low bits of FNV alone are not mixed
}

// New implements Library. Reserved bytes are those of blocks that tables pin.
func (r RocksDB) New(bytes, reserved int64, shards int) (Cache, error) {
	return newRocksDBCache(r, bytes, reserved, shards, func(capacity, reserved int64) rocksDBShard {
		return &lruShard{queues: newQueues(), capacity: capacity, reserved: reserved}
	})
}

// rocksDBCache is a block cache of RocksDB, read by one Get at a time.
type rocksDBCache struct {
	library Library
	shards  []rocksDBShard
	held    []heldBlock // in the order of their release
}

// rocksDBShard is a shard of one of RocksDB's caches. It may exceed its capacity by what is held.
type rocksDBShard interface {
	// take looks a block up, adds it after a miss, and holds it. Upper blocks have high priority.
	take(block uint64, charge uint32, upper bool) (node uint32, hit bool)
	// release lets go of a block that was taken; hot ones have high priority, or were hit.
	release(node uint32, hot bool)
}

// heldBlock is a block that the Get holds, at least until it looks up the next one.
type heldBlock struct {
	Block
	shard rocksDBShard
	node  uint32
	hot   bool
}

func newRocksDBCache(library Library, bytes, reserved int64, shards int, shard func(capacity, reserved int64) rocksDBShard) (*rocksDBCache, error) {
	if bits.OnesCount(uint(shards)) != 1 {
		return nil, fmt.Errorf("RocksDB's caches cannot have %d shards: choose a power of two", shards)
	}
	if _, err := room(bytes, reserved, shards); err != nil {
		return nil, err
	}
	n := int64(shards)
	c := &rocksDBCache{library: library}
	for range shards {
		c.shards = append(c.shards, shard((bytes+n-1)/n, reserved/n))
	}
	return c, nil
}

func (c *rocksDBCache) Access(b Block) (hit bool) {
	c.releaseFor(b)
	shard, upper := c.shards[c.library.ShardOf(b, len(c.shards))], b.Component != readpath.Data
	node, hit := shard.take(b.Number, c.library.Charge(b), upper)
	h := heldBlock{b, shard, node, hit || upper}
	if b.Found {
		c.held = append(c.held, h)
	} else { // a Get releases a block before the one above it
		c.held = slices.Insert(c.held, 0, h)
	}
	return hit
}

// releaseFor releases the blocks that a Get no longer holds when it looks up b: all but those above b.
func (c *rocksDBCache) releaseFor(b Block) {
	kept := c.held[:0]
	for _, h := range c.held {
		if h.above(b) {
			kept = append(kept, h)
		} else {
			h.shard.release(h.node, h.hot)
		}
	}
	c.held = kept
}

// above reports whether a Get reaches b through h: from a table's top index to an index block and on to a
// data block, or from the top-level index of a filter to one of its partitions.
func (h heldBlock) above(b Block) bool {
	return h.File == b.File && (h.Component == readpath.Filter) == (b.Component == readpath.Filter) && depth(h.Block) < depth(b)
}

// depth is how far a block lies below the top of its table's index or filter.
func depth(b Block) int {
	switch {
	case b.TopFilter || b.Component == readpath.TopIndex:
		return 0
	case b.Component == readpath.Data:
		return 2
	}
	return 1
}

// lruShard is a shard of RocksDB's LRU cache.
type lruShard struct {
	queues
	capacity int64
	reserved int64 // for blocks that tables pin
}

// The queues of a shard.
const (
	lowerPool = iota
	upperPool
	heldBlocks
)

func (s *lruShard) take(block uint64, charge uint32, _ bool) (node uint32, hit bool) {
	if at := s.where.find(block); at != nil32 {
		s.move(at, heldBlocks)
		return at, true
	}
	for s.bytes()+int64(charge) > s.capacity && s.evict() {
	}
	s.add(block, charge, heldBlocks)
	return s.list[heldBlocks].newest, false
}

// bytes returns what is used of the capacity.
func (s *lruShard) bytes() int64 {
	return s.list[lowerPool].bytes + s.list[upperPool].bytes + s.list[heldBlocks].bytes + s.reserved
}

// evict evicts a block that is not held, and reports whether there was one.
func (s *lruShard) evict() bool {
	for _, pool := range [...]int{lowerPool, upperPool} {
		if at := s.list[pool].last; at != nil32 {
			s.remove(at)
			return true
		}
	}
	return false
}

// release implements rocksDBShard: a block enters its pool, unless the cache is over its capacity.
func (s *lruShard) release(node uint32, hot bool) {
	if s.bytes() > s.capacity {
		s.remove(node)
		return
	}
	if !hot {
		s.move(node, lowerPool)
		return
	}
	s.move(node, upperPool)
	for s.list[upperPool].bytes > s.capacity/2 {
		s.move(s.list[upperPool].last, lowerPool)
	}
}
