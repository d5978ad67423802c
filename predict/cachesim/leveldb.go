package cachesim

import (
	"cmp"
	"fmt"

	"getio/engine/blockformat"
	"getio/engine/readpath"
)

// LevelDB is goleveldb. Its block cache is an LRU that charges each block for the buffer it lies in
// (leveldb/table/reader.go, readRawBlock). Buffers of up to four blocks have one of five sizes. A
// larger one is made exactly as large as its block, and is reused for smaller blocks later, which are
// then charged more than their size. LevelDB in C++ charges each block its own size.
type LevelDB struct {
	// BlockSize is the size of data blocks in its options, in bytes. With 0, it is LevelDB in C++.
	BlockSize int64
	// Processors is the number of processors that run Gets. Each has its own free buffers, and the garbage
	// collector drops unused ones. When the processor changes and when garbage is collected is random, and
	// how often it changes depends on the variant. With 0, one processor runs all Gets, and no garbage is
	// collected.
	Processors int
	Variant    int // from 0 to 3
}

func (LevelDB) Policy() string { return NameLRU }

// Shards implements Library. LevelDB in C++ has a fixed number of them (util/cache.cc).
func (l LevelDB) Shards(int64, int) int {
	if l.BlockSize == 0 {
		return 16
	}
	return 1
}

// Charge implements Library. Blocks in the largest buffers may be charged more.
func (l LevelDB) Charge(b Block) uint32 {
	bytes := b.Stored
	if b.Stored != b.Size+blockformat.TrailerLen { // it is compressed
		bytes = b.Size
	}
	if l.BlockSize == 0 {
		return bytes
	}
	return cmp.Or(smallBuffer(l.bufferedBlock(), bytes), bytes)
}

func (l LevelDB) ShardOf(b Block, shards int) int {
	if l.BlockSize > 0 {
		return 0
	}
	return int(hashV1(b.File, uint64(b.Offset)) % uint64(shards)) // any that spreads blocks evenly is as good as its own
}

func (l LevelDB) New(bytes, reserved int64, shards int) (Cache, error) {
	if l.BlockSize == 0 {
		return newShardedCache(l, bytes, reserved, shards)
	}
	if shards != 1 {
		return nil, fmt.Errorf("LevelDB's cache cannot have %d shards, only one: leave the number of shards out", shards)
	}
	room, err := room(bytes, reserved, shards)
	if err != nil {
		return nil, err
	}
	return &levelDBCache{lru: NewLRU(room), pool: l.newPool()}, nil
}

// bufferedBlock is the size in bytes of a data block with its trailer.
func (l LevelDB) bufferedBlock() uint32 { return uint32(l.BlockSize) + blockformat.TrailerLen }

// levelDBCache is a block cache of LevelDB. A Get holds the index block of a table until it has searched the
// table (leveldb/table/reader.go, find). The buffer of an index block that the cache does not keep is free only
// then.
type levelDBCache struct {
	lru   *LRU
	pool  *bufferPool
	index uint64 // number of the index block that the Get holds
	freed uint32 // its buffer, if the cache does not keep it; 0 if it does
}

func (c *levelDBCache) Access(b Block) (hit bool) {
	if b.Component == readpath.TopIndex {
		c.hold(b)
	}
	c.pool.advance()
	if c.lru.touch(b.Number) {
		return true
	}
	buffer := c.pool.get(b.Stored)
	if b.Stored != b.Size+blockformat.TrailerLen { // it is compressed
		read := buffer
		buffer = c.pool.get(b.Size)
		c.pool.put(read)
	}
	if int64(buffer) > c.lru.capacity {
		c.free(b.Number, buffer)
		return false
	}
	for c.lru.Used()+int64(buffer) > c.lru.capacity {
		block, size := c.lru.evict()
		c.free(block, size)
	}
	c.lru.add(b.Number, buffer, 0)
	return false
}

// hold begins the search of a table by its index block, after the search of another table.
func (c *levelDBCache) hold(index Block) {
	if c.freed > 0 {
		c.pool.put(c.freed)
	}
	c.index, c.freed = index.Number, 0
}

// free returns the buffer of a block that the cache does not keep to the pool.
func (c *levelDBCache) free(block uint64, buffer uint32) {
	if block == c.index {
		c.freed = buffer
		return
	}
	c.pool.put(buffer)
}
