package cachesim

// LevelDB is goleveldb's block cache with its default block size: an LRU that charges each
// block for the buffer it lies in (leveldb/table/reader.go, readRawBlock). Buffers of up to
// 16 KiB have one of five sizes. A larger one is made exactly as large as its block, and is
// reused for smaller blocks later, which are then charged more than their size.
type LevelDB struct {
	lru  *LRU
	free freeBuffers
}

// NewLevelDB returns an empty cache of capacity bytes.
func NewLevelDB(capacity int64) *LevelDB { return &LevelDB{lru: NewLRU(capacity)} }

// Access looks a block up, and may add it after a miss. stored is its size in its file,
// trailer included; size is that of the decompressed block.
func (c *LevelDB) Access(block uint64, stored, size uint32) (hit bool) {
	if c.lru.touch(block) {
		return true
	}
	buffer := c.free.take(stored)
	if stored != size+levelDBTrailer { // it is compressed
		read := buffer
		buffer = c.free.take(size)
		c.free.put(read)
	}
	if int64(buffer) > c.lru.capacity {
		c.free.put(buffer)
		return false
	}
	for c.lru.Used()+int64(buffer) > c.lru.capacity {
		c.free.put(c.lru.evict())
	}
	c.lru.add(block, buffer, 0)
	return false
}

// levelDBTrailer is the size of a block's trailer; levelDBBuffer is the size of the buffer
// of a block of the default size.
const (
	levelDBTrailer = 5
	levelDBBuffer  = 4<<10 + levelDBTrailer
)

// freeBuffers holds the sizes in bytes of the large buffers that are free
// (leveldb/util/buffer_pool.go). The order is that of a sync.Pool used by one processor; that
// the garbage collector empties it is left out.
type freeBuffers struct {
	next uint32 // 0 if there is none
	rest []uint32
}

// take returns the size of the buffer that a read of the given bytes takes.
func (f *freeBuffers) take(bytes uint32) uint32 {
	for _, size := range [...]uint32{levelDBBuffer / 4, levelDBBuffer / 2, levelDBBuffer, 2 * levelDBBuffer, 4 * levelDBBuffer} {
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
	case size <= 4*levelDBBuffer: // those never run out
	case f.next == 0:
		f.next = size
	default:
		f.rest = append(f.rest, size)
	}
}
