package cachesim

import (
	"fmt"
	"math/bits"

	"getio/tree/readpath"
)

// RocksDB is RocksDB 7 with its LRU cache (cache/lru_cache.cc). The cache has two pools. Blocks of
// indexes and filters, and blocks that were ever hit, enter the upper one; what overflows half of the
// cache there sinks to the lower one. Eviction is from the lower one first.
//
// A block enters its pool when it is released, not when it is looked up. A Get holds a table's index
// blocks until it is done with the table. It releases a data block without the key at once, and holds
// the one with the key until it ends (table/block_based, BlockBasedTable::Get). Blocks that are held
// cannot be evicted.
//
// A block is charged for the memory that malloc gave for it, which may be 16 bytes more than the same
// block takes another time. So simulation and library differ in a few accesses in ten thousand, in a
// cache of one shard; with a malloc that always gives a block the same memory, they do not differ.
type RocksDB struct{}

// Policy implements Library.
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

// Of the memory for a block besides its contents, in bytes, as malloc gives it.
const (
	rocksDBHandle = 88 // the entry in the cache (LRUHandle, with a key of 16 bytes)
	rocksDBBlock  = 88 // what describes an index or data block, or a filter's index of partitions (Block)
	rocksDBFilter = 40 // what describes a filter (BlockContents, in a build with assertions)
)

// Charge implements Library.
func (RocksDB) Charge(b Block) uint32 {
	contents := b.Size
	if b.Stored == b.Size+rocksDBTrailer { // not compressed: read with its trailer
		contents = b.Stored
	}
	if b.Component == readpath.Filter && !b.TopFilter {
		return allocated(contents) + rocksDBFilter + rocksDBHandle
	}
	return allocated(contents) + rocksDBBlock + rocksDBHandle
}

// rocksDBTrailer is the size of a block's trailer, in bytes.
const rocksDBTrailer = 5

// allocated is what glibc's malloc gives for a number of bytes: chunks are multiples of 16, of which
// 8 are its own, and at least 32.
func allocated(bytes uint32) uint32 { return max((bytes+8+15)&^15, 32) - 8 }

// ShardOf implements Library. The library's own choice depends on the sessions that wrote the tables;
// any that spreads blocks evenly is as good.
func (RocksDB) ShardOf(b Block, shards int) int {
	return int(hashV1(b.File, uint64(b.Offset)) % uint64(shards))
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
	held    []heldBlock // by the Get, in the order of their release
	last    Block       // looked up
}

// rocksDBShard is a shard of one of RocksDB's caches. It may exceed its capacity by what is held.
type rocksDBShard interface {
	// take looks a block up, adds it after a miss, and holds it. Upper blocks have high priority.
	take(block uint64, charge uint32, upper bool) (node uint32, hit bool)
	// release lets go of a block that was taken; hot ones have high priority, or were hit.
	release(node uint32, hot bool)
	// bytes returns what is used of the capacity.
	bytes() int64
}

type heldBlock struct {
	shard rocksDBShard
	node  uint32
	hot   bool
}

func (h heldBlock) release() { h.shard.release(h.node, h.hot) }

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

// Access implements Cache.
func (c *rocksDBCache) Access(b Block) (hit bool) {
	partition := c.isPartition(b)
	switch {
	case partition, c.follows(b):
	case c.nextPartition(b): // the top index stays
		c.held[0].release()
		c.held = c.held[1:]
	default:
		c.releaseAll()
	}
	shard, upper := c.shards[c.library.ShardOf(b, len(c.shards))], b.Component != readpath.Data
	node, hit := shard.take(b.Number(), c.library.Charge(b), upper)
	h := heldBlock{shard, node, hit || upper}
	c.last = b
	switch n := len(c.held); {
	case b.Component == readpath.Data && !b.Found: // nothing is left to do with it
		h.release()
	case partition: // it is done with before the block that indexes it
		h.release()
		c.releaseAll()
	case b.Component == readpath.Index && n > 0: // so is a lower index block
		c.held = append(c.held[:n-1], h, c.held[n-1])
	default:
		c.held = append(c.held, h)
	}
	return hit
}

// isPartition reports whether b is the partition of a filter of which the Get holds the upper block.
func (c *rocksDBCache) isPartition(b Block) bool {
	return len(c.held) == 1 && b.Component == readpath.Filter && !b.TopFilter && c.last.TopFilter && b.File == c.last.File
}

// follows reports whether the Get looks b up while it holds index blocks of the same table: b is further
// down than the block before, or the next data block. Filters are not held for that.
func (c *rocksDBCache) follows(b Block) bool {
	if b.File != c.last.File || c.last.Component == readpath.Filter {
		return false
	}
	return depth(b) > depth(c.last) || b.Component == readpath.Data && !c.last.Found && b.Offset > c.last.Offset
}

// nextPartition reports whether the Get went past the last data block of an index's partition, and goes on in the next
// one. Another Get would begin with the top index or a filter.
func (c *rocksDBCache) nextPartition(b Block) bool {
	return len(c.held) == 2 && b.Component == readpath.Index && b.File == c.last.File && c.last.Component == readpath.Data && !c.last.Found
}

func depth(b Block) int {
	switch b.Component {
	case readpath.TopIndex:
		return 1
	case readpath.Index:
		return 2
	case readpath.Data:
		return 3
	}
	return 0
}

func (c *rocksDBCache) releaseAll() {
	for _, h := range c.held {
		h.release()
	}
	c.held = c.held[:0]
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

// take implements rocksDBShard.
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
