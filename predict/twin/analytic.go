package twin

import (
	"math"

	"getio/tree/readpath"
)

// Steady is the steady state of a tree's reads, worked out and not simulated: a
// cache that holds, of all blocks, those that are asked for most often per byte.
// CLOCK-Pro comes close to it as long as blocks differ much in that, as filters,
// indexes and data do; it is the least that any cache can read of keys that come
// independently of each other.
type Steady struct {
	// buckets hold the blocks by how often each is asked for per byte, the most
	// frequent first.
	buckets  []bucket
	accesses [readpath.NumComponents]float64 // per Get
}

// bucket is blocks of about the same accesses per byte.
type bucket struct {
	bytes    float64
	accesses [readpath.NumComponents]float64 // per Get
	asked    [readpath.NumComponents]float64 // bytes of the blocks of these accesses
}

// Buckets are powers of two of accesses per byte and Get, cut finely.
const (
	bucketsPerDoubling = 32
	rarest             = -80.0 // log2
	bucketCount        = int(-rarest) * bucketsPerDoubling
)

// NewSteady works out the steady state of Gets of equally popular records, of
// which a share asks for keys that are not there.
func NewSteady(t *Tree, absent float64) *Steady {
	s := &Steady{buckets: make([]bucket, bucketCount)}
	t.visits(absent, s.add)
	return s
}

// add enters a table's blocks.
func (s *Steady) add(p *table, v visits) {
	s.put(readpath.TopIndex, 1, p.topSize, v.all())
	maybe := 1.0
	if p.filterSize > 0 {
		s.put(readpath.Filter, 1, p.filterSize, v.all())
		maybe = p.falsePositive
	}
	// What lies before the table is looked for in its first block.
	all, first, before := v.found+maybe*v.inside, maybe*v.before, 0.0
	// What is not there, and behind the last key of its block, in the next one too.
	data := all + maybe*v.inside*p.pastLast
	for i := range p.segments {
		part := &p.segments[i]
		share := part.records - before
		s.putBlocks(readpath.Data, float64(part.blocks), part.size, data*share, first)
		if p.index > 0 {
			// An index block leads to as many data blocks as any other of the table.
			s.putBlocks(readpath.Index, float64(p.index)*float64(part.blocks)/float64(p.data), p.indexSize, all*share, first)
		}
		before, first = part.records, 0
	}
}

// putBlocks enters n blocks that share their accesses, the first with some more.
func (s *Steady) putBlocks(c readpath.Component, n float64, size uint32, all, first float64) {
	if n <= 1 {
		s.put(c, n, size, all+first)
		return
	}
	each := all / n
	s.put(c, 1, size, each+first)
	s.put(c, n-1, size, (n-1)*each)
}

// put enters n equal blocks that together are asked for so often per Get.
func (s *Steady) put(c readpath.Component, n float64, size uint32, accesses float64) {
	if accesses <= 0 {
		return
	}
	s.accesses[c] += accesses
	at := int(-math.Log2(accesses/n/float64(size)) * bucketsPerDoubling)
	b := &s.buckets[min(max(at, 0), bucketCount-1)]
	b.bytes += n * float64(size)
	b.accesses[c] += accesses
	b.asked[c] += accesses * float64(size)
}

// Accesses are the blocks of each component that a Get asks for.
func (s *Steady) Accesses() [readpath.NumComponents]float64 { return s.accesses }

// Misses are the blocks of each component that a Get reads with a cache that has
// room for so many bytes of blocks.
func (s *Steady) Misses(cacheBytes int64) [readpath.NumComponents]float64 {
	misses, _ := s.read(cacheBytes)
	return misses
}

// read is the blocks of each component that a Get reads, and what they take in
// the cache.
func (s *Steady) read(cacheBytes int64) (misses, bytes [readpath.NumComponents]float64) {
	room := float64(cacheBytes)
	for i := range s.buckets {
		b := &s.buckets[i]
		if b.bytes == 0 {
			continue
		}
		held := min(room/b.bytes, 1)
		room -= held * b.bytes
		for c, accesses := range b.accesses {
			misses[c] += (1 - held) * accesses
			bytes[c] += (1 - held) * b.asked[c]
		}
	}
	return misses, bytes
}

// IOsPerGet sums the misses of all components.
func (s *Steady) IOsPerGet(cacheBytes int64) (sum float64) {
	for _, m := range s.Misses(cacheBytes) {
		sum += m
	}
	return sum
}
