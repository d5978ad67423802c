package cachesim

import (
	"cmp"
	"fmt"
)

// LevelDB is goleveldb. Its block cache is an LRU that charges each block for the buffer it lies in
// (leveldb/table/reader.go, readRawBlock). Buffers of up to four blocks have one of five sizes. A
// larger one is made exactly as large as its block, and is reused for smaller blocks later, which are
// then charged more than their size.
type LevelDB struct {
	// BlockSize is the size of data blocks in its options, in bytes.
	BlockSize int64
	// Processors is how many processors run its Gets, each with its own free buffers. Go's scheduler
	// decides which of them runs a Get, and its garbage collector removes free buffers now and then. Both
	// are random here. With 0, there is one processor, and free buffers are kept.
	Processors int
	// Seed is for the random decisions.
	Seed uint64
}

// Variant implements Varying.
func (l LevelDB) Variant(n uint64) Library {
	l.Seed = n
	return l
}

// Varies implements Varying.
func (l LevelDB) Varies() bool { return l.Processors > 0 }

// Policy implements Library.
func (LevelDB) Policy() string { return NameLRU }

// Shards implements Library.
func (LevelDB) Shards(int64, int) int { return 1 }

// Charge implements Library. Blocks in the largest buffers may be charged more.
func (l LevelDB) Charge(b Block) uint32 {
	bytes := b.Stored
	if b.Stored != b.Size+levelDBTrailer { // it is compressed
		bytes = b.Size
	}
	return cmp.Or(usualBuffer(l.base(), bytes), bytes)
}

// ShardOf implements Library.
func (LevelDB) ShardOf(Block, int) int { return 0 }

// New implements Library.
func (l LevelDB) New(bytes, reserved int64, shards int) (Cache, error) {
	if shards != 1 {
		return nil, fmt.Errorf("LevelDB's cache cannot have %d shards, only one: leave the number of shards out", shards)
	}
	room, err := room(bytes, reserved, shards)
	if err != nil {
		return nil, err
	}
	return &levelDBCache{lru: NewLRU(room), free: l.buffers()}, nil
}

// base is the size in bytes of the buffer for a usual data block.
func (l LevelDB) base() uint32 { return uint32(l.BlockSize) + levelDBTrailer }

// levelDBCache is a block cache of LevelDB.
type levelDBCache struct {
	lru  *LRU
	free *freeBuffers
}

// Access implements Cache.
func (c *levelDBCache) Access(b Block) (hit bool) {
	c.free.decide()
	if c.lru.touch(b.Number()) {
		return true
	}
	buffer := c.free.take(b.Stored)
	if b.Stored != b.Size+levelDBTrailer { // it is compressed
		read := buffer
		buffer = c.free.take(b.Size)
		c.free.put(read)
	}
	if int64(buffer) > c.lru.capacity {
		c.free.put(buffer)
		return false
	}
	for c.lru.Used()+int64(buffer) > c.lru.capacity {
		c.free.put(c.lru.evict())
	}
	c.lru.add(b.Number(), buffer, 0)
	return false
}

// levelDBTrailer is the size of a block's trailer, in bytes.
const levelDBTrailer = 5
