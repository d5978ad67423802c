package cachesim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
)

// LevelDB is goleveldb. Its block cache is an LRU that charges each block for the buffer it lies in
// (leveldb/table/reader.go, readRawBlock). Buffers of up to four blocks have one of five sizes. A
// larger one is made exactly as large as its block, and is reused for smaller blocks later, which are
// then charged more than their size.
type LevelDB struct {
	// BlockSize is the size of data blocks in its options, in bytes.
	BlockSize int64
	// Processors is how many processors run its Gets, each of which has free buffers of its own. Which
	// of them runs a Get is up to Go's scheduler, and here to chance, as is when the garbage collector
	// takes free buffers away. With 0, there is one processor, and free buffers are kept.
	Processors int
	// Seed of that chance.
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

// usualBuffer returns the size of the buffer for a block of the given bytes, 0 if it is a large one.
func usualBuffer(base, bytes uint32) uint32 {
	for _, size := range [...]uint32{base / 4, base / 2, base, 2 * base, 4 * base} {
		if bytes <= size {
			return size
		}
	}
	return 0
}

func (l LevelDB) buffers() *freeBuffers {
	f := &freeBuffers{base: l.base(), of: make([]ownBuffers, max(l.Processors, 1))}
	if l.Varies() {
		f.chance = rand.New(rand.NewPCG(l.Seed, 0))
	}
	return f
}

// levelDBCache is a block cache of LevelDB.
type levelDBCache struct {
	lru  *LRU
	free *freeBuffers
}

// Access implements Cache.
func (c *levelDBCache) Access(b Block) (hit bool) {
	c.free.leaveToChance()
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

// freeBuffers holds the sizes in bytes of the large buffers that are free (leveldb/util/buffer_pool.go),
// as a sync.Pool keeps them.
type freeBuffers struct {
	base   uint32 // bytes of a usual data block, with its trailer
	of     []ownBuffers
	old    []ownBuffers // free since before the last collection; the next one takes them away
	now    int          // the processor that runs the Gets
	chance *rand.Rand   // nil: nothing is left to chance
}

// ownBuffers are the free buffers of a processor.
type ownBuffers struct {
	next uint32 // 0 if there is none; no other processor takes it
	rest []uint32
}

// How many accesses are made, on average, until another processor runs the Gets, and until the garbage
// collector runs. It ran every 32,000, 107,000 and 140,000 in three databases (GODEBUG=gctrace=1). Moves
// matter less: from 10 to 1,000 accesses, the variants differ as much.
const (
	accessesOnProcessor = 100
	accessesToCollect   = 80_000
)

// take returns the size of the buffer that a read of the given bytes takes.
func (f *freeBuffers) take(bytes uint32) uint32 {
	if size := usualBuffer(f.base, bytes); size > 0 {
		return size
	}
	buffer := takeFree(f.of, f.now)
	if buffer == 0 && f.old != nil {
		buffer = takeFree(f.old, f.now)
	}
	return max(buffer, bytes) // one that is too small is dropped
}

// takeFree takes a processor's own buffer, or another's that it gives up; 0 if there is none.
func takeFree(of []ownBuffers, processor int) (buffer uint32) {
	own := &of[processor]
	if buffer, own.next = own.next, 0; buffer > 0 {
		return buffer
	}
	if last := len(own.rest) - 1; last >= 0 {
		buffer, own.rest = own.rest[last], own.rest[:last]
		return buffer
	}
	for i := 1; i < len(of); i++ {
		if other := &of[(processor+i)%len(of)]; len(other.rest) > 0 {
			buffer, other.rest = other.rest[0], other.rest[1:]
			return buffer
		}
	}
	return 0
}

func (f *freeBuffers) leaveToChance() {
	if f.chance == nil {
		return
	}
	if f.chance.IntN(accessesOnProcessor) == 0 {
		f.now = f.chance.IntN(len(f.of))
	}
	if f.chance.IntN(accessesToCollect) == 0 {
		f.collect()
	}
}

// collect is a run of the garbage collector.
func (f *freeBuffers) collect() { f.old, f.of = f.of, make([]ownBuffers, len(f.of)) }

// put frees a buffer.
func (f *freeBuffers) put(size uint32) {
	own := &f.of[f.now]
	switch {
	case size <= 4*f.base: // those never run out
	case own.next == 0:
		own.next = size
	default:
		own.rest = append(own.rest, size)
	}
}
