package cachesim

import "fmt"

// LevelDB is goleveldb. Its block cache is an LRU that charges each block for the buffer it lies in
// (leveldb/table/reader.go, readRawBlock). Buffers of up to four blocks have one of five sizes. A
// larger one is made exactly as large as its block, and is reused for smaller blocks later, which are
// then charged more than their size.
type LevelDB struct {
	// BlockSize is the size of data blocks in its options, in bytes.
	BlockSize int64
}

// Policy implements Library.
func (LevelDB) Policy() string { return NameLRU }

// Shards implements Library.
func (LevelDB) Shards(int64, int) int { return 1 }

// Charge implements Library. Blocks in the largest buffers may be charged more.
func (l LevelDB) Charge(b Block) uint32 {
	free := l.buffers()
	if b.Stored != b.Size+levelDBTrailer { // it is compressed
		return free.take(b.Size)
	}
	return free.take(b.Stored)
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

func (l LevelDB) buffers() freeBuffers {
	return freeBuffers{base: uint32(l.BlockSize) + levelDBTrailer}
}

// levelDBCache is a block cache of LevelDB.
type levelDBCache struct {
	lru  *LRU
	free freeBuffers
}

// Access implements Cache.
func (c *levelDBCache) Access(b Block) (hit bool) {
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

// freeBuffers holds the sizes in bytes of the large buffers that are free
// (leveldb/util/buffer_pool.go). The order is that of a sync.Pool used by one processor; that
// the garbage collector empties it is left out.
type freeBuffers struct {
	base uint32 // bytes of a block of the usual size, with its trailer
	next uint32 // 0 if there is none
	rest []uint32
}

// take returns the size of the buffer that a read of the given bytes takes.
func (f *freeBuffers) take(bytes uint32) uint32 {
	for _, size := range [...]uint32{f.base / 4, f.base / 2, f.base, 2 * f.base, 4 * f.base} {
		if bytes <= size {
			return size
		}
	}
	buffer := f.next
	f.next = 0
	if last := len(f.rest) - 1; buffer == 0 && last >= 0 {
		buffer, f.rest = f.rest[last], f.rest[:last]
	}
	return max(buffer, bytes) // one that is too small is dropped
}

// put frees a buffer.
func (f *freeBuffers) put(size uint32) {
	switch {
	case size <= 4*f.base: // those never run out
	case f.next == 0:
		f.next = size
	default:
		f.rest = append(f.rest, size)
	}
}
