package cachesim

import "math/rand/v2"

// freeBuffers holds the sizes in bytes of the large buffers that are free (leveldb/util/buffer_pool.go),
// as a sync.Pool keeps them.
type freeBuffers struct {
	base   uint32 // bytes of a usual data block, with its trailer
	of     []ownBuffers
	old    []ownBuffers // free since before the last collection; the next one removes them
	now    int          // the processor that runs the Gets
	random *rand.Rand   // nil: the processor stays the same, and the collector never runs
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

func (l LevelDB) buffers() *freeBuffers {
	f := &freeBuffers{base: l.base(), of: make([]ownBuffers, max(l.Processors, 1))}
	if l.Varies() {
		f.random = rand.New(rand.NewPCG(l.Seed, 0))
	}
	return f
}

// usualBuffer returns the size of the buffer for a block of the given bytes, 0 if it is a large one.
func usualBuffer(base, bytes uint32) uint32 {
	for _, size := range [...]uint32{base / 4, base / 2, base, 2 * base, 4 * base} {
		if bytes <= size {
			return size
		}
	}
	return 0
}

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

// takeFree takes a free buffer: one of the processor's own or, from another processor, any but the first.
// It returns 0 where none is free.
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

// decide decides at random, before an access, whether the processor changes and whether the collector runs.
func (f *freeBuffers) decide() {
	if f.random == nil {
		return
	}
	if f.random.IntN(accessesOnProcessor) == 0 {
		f.now = f.random.IntN(len(f.of))
	}
	if f.random.IntN(accessesToCollect) == 0 {
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
