package cachesim

import "math/rand/v2"

// bufferPool reproduces LevelDB's pool of large buffers (leveldb/util/buffer_pool.go), which is a sync.Pool.
// A buffer is represented by its size in bytes.
type bufferPool struct {
	blockSize uint32 // of data blocks, with the trailer
	local     []poolLocal
	victim    []poolLocal // from before the last garbage collection; the next one drops them
	processor int         // that runs the Gets
	random    *rand.Rand  // nil: the processor stays the same, and no garbage is collected
	stays     int         // average number of accesses until the processor changes
}

// poolLocal holds the free buffers of one processor.
type poolLocal struct {
	private uint32   // 0 if empty; only this processor can take it
	shared  []uint32 // other processors can take these
}

// accessesToCollect is the average number of accesses between two garbage collections. In four databases, one ran every
// 32,000 to 140,000 accesses (GODEBUG=gctrace=1).
const accessesToCollect = 80_000

// accessesOnProcessor are average numbers of accesses until another processor runs the Gets, one for each variant. They
// depend on the program and on what else the machine does. Predictions hardly change with them, unless a buffer is about
// as large as the cache: then the reads of such programs differ as much.
var accessesOnProcessor = [variantsOfLibrary]int{100, 3_000, 100_000, 3_000_000}

func (l LevelDB) newPool() *bufferPool {
	p := &bufferPool{blockSize: l.bufferedBlock(), local: make([]poolLocal, max(l.Processors, 1))}
	if l.Processors > 0 {
		p.random, p.stays = rand.New(rand.NewPCG(uint64(l.Variant), 0)), accessesOnProcessor[l.Variant]
	}
	return p
}

// smallBuffer returns the size of the buffer for a block that fits in four data blocks, and 0 for a larger one.
func smallBuffer(blockSize, bytes uint32) uint32 {
	for _, size := range [...]uint32{blockSize / 4, blockSize / 2, blockSize, 2 * blockSize, 4 * blockSize} {
		if bytes <= size {
			return size
		}
	}
	return 0
}

// get returns the size of the buffer that a block of the given bytes is read into.
func (p *bufferPool) get(bytes uint32) uint32 {
	if size := smallBuffer(p.blockSize, bytes); size > 0 {
		return size
	}
	buffer := takeFrom(p.local, p.processor)
	if buffer == 0 && p.victim != nil {
		buffer = takeFrom(p.victim, p.processor)
	}
	return max(buffer, bytes) // a buffer that is too small is dropped
}

// takeFrom takes a buffer of the processor or, if it has none, a shared one of another processor. It returns 0
// if it finds no buffer.
func takeFrom(locals []poolLocal, processor int) (buffer uint32) {
	own := &locals[processor]
	if buffer, own.private = own.private, 0; buffer > 0 {
		return buffer
	}
	if last := len(own.shared) - 1; last >= 0 {
		buffer, own.shared = own.shared[last], own.shared[:last]
		return buffer
	}
	for i := 1; i < len(locals); i++ {
		if other := &locals[(processor+i)%len(locals)]; len(other.shared) > 0 {
			buffer, other.shared = other.shared[0], other.shared[1:]
			return buffer
		}
	}
	return 0
}

// put returns a buffer of the given size to the pool. Small buffers are not simulated: their sizes are fixed.
func (p *bufferPool) put(size uint32) {
	own := &p.local[p.processor]
	switch {
	case size <= 4*p.blockSize:
	case own.private == 0:
		own.private = size
	default:
		own.shared = append(own.shared, size)
	}
}

// advance simulates what may happen before an access: the scheduler moves the Gets to another processor, or
// garbage is collected.
func (p *bufferPool) advance() {
	if p.random == nil {
		return
	}
	if p.random.IntN(p.stays) == 0 {
		p.processor = p.random.IntN(len(p.local))
	}
	if p.random.IntN(accessesToCollect) == 0 {
		p.collect()
	}
}

func (p *bufferPool) collect() { p.victim, p.local = p.local, make([]poolLocal, len(p.local)) }
