package cachesim

// LevelDB is goleveldb's block cache with its default block size: an LRU, whose blocks
// lie in buffers, and take of it what these do (leveldb/table/reader.go, readRawBlock).
// A buffer of up to 16 KiB is of one of five sizes. A larger one is made as long as a
// block needs it, and is later used for other blocks, so that these take more than they
// are large.
type LevelDB struct {
	lru  *LRU
	free freeBuffers
}

// NewLevelDB returns an empty cache of so many bytes.
func NewLevelDB(capacity int64) *LevelDB { return &LevelDB{lru: NewLRU(capacity)} }

// Access reads a block through the cache, of so many bytes in its file, trailer
// included, and decompressed. It tells whether the cache held the block.
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
	for c.lru.held.bytes+int64(buffer) > c.lru.capacity {
		c.free.put(c.lru.drop())
	}
	c.lru.add(block, buffer)
	return false
}

// levelDBTrailer is behind each block in its file; levelDBBuffer is the buffer of a
// block of the default size.
const (
	levelDBTrailer = 5
	levelDBBuffer  = 4<<10 + levelDBTrailer
)

// freeBuffers are the large buffers that no block lies in, by their sizes in bytes
// (leveldb/util/buffer_pool.go). They are in a sync.Pool, which one processor uses like
// this; it empties the pool now and then, which is left out.
type freeBuffers struct {
	next uint32 // 0 if there is none
	rest []uint32
}

// take is the size of the buffer that so many bytes are read into.
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
	return max(buffer, bytes) // one that is too small is given up
}

// put gives a buffer back.
func (f *freeBuffers) put(size uint32) {
	switch {
	case size <= 4*levelDBBuffer: // there are always others
	case f.next == 0:
		f.next = size
	default:
		f.rest = append(f.rest, size)
	}
}
