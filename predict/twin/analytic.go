package twin

import (
	"math"

	"getio/engine/readpath"
)

// Steady computes the steady state of a tree's reads without simulation, for a cache that holds
// the blocks with the most accesses per byte. No cache reads less if keys are independent of
// each other. CLOCK-Pro comes close while these rates differ much, as those of filters, indexes
// and data do.
type Steady struct {
	// buckets group the blocks by accesses per byte, the most frequent first.
	buckets  []bucket
	library  *Library
	accesses readpath.Means // per Get
}

// bucket sums blocks of about the same accesses per byte.
type bucket struct {
	bytes    float64
	accesses readpath.Means // per Get
	asked    readpath.Means // uncompressed bytes of the accessed blocks, per Get
}

// Buckets divide each doubling of the accesses per byte and Get.
const (
	bucketsPerDoubling = 32
	rarest             = -80.0 // log2
	bucketCount        = int(-rarest) * bucketsPerDoubling
)

// NewSteady computes the steady state for equally popular records. absent is the share of Gets
// of absent keys.
func NewSteady(t *Tree, absent float64) *Steady {
	s := &Steady{buckets: make([]bucket, bucketCount), library: &t.opts.Library}
	t.visits(absent, s.add)
	return s
}

func (s *Steady) add(p *table, v visits) {
	s.put(readpath.Other, 1, p.rangeDeletions, v.all())
	maybe := 1.0
	if p.filtered() {
		maybe = p.falsePositive
		s.putBlocks(readpath.Filter, float64(p.partitions), p.partition, v.found+v.inside, v.before)
	}
	if l := s.library; !l.MetadataOutside {
		s.put(readpath.Filter, 1, p.filter, v.all())
		opened := v.all()
		if l.FiltersFirst {
			opened = v.found + maybe*(v.inside+v.before)
		}
		s.put(readpath.TopIndex, 1, p.top, opened)
	}
	// Keys in the gap before the table are looked up in its first block.
	all, first, before := v.found+maybe*v.inside, maybe*v.before, 0.0
	// Absent keys beyond the last key of their block are looked up in the next one too.
	data := all + maybe*v.inside*p.pastLast
	for i := range p.segments {
		part := &p.segments[i]
		share := part.records - before
		s.putData(part, v.found*share, (data-v.found)*share, first)
		if p.index > 0 {
			// All index blocks of a table index as many data blocks.
			s.putBlocks(readpath.Index, float64(p.index)*float64(part.blocks)/float64(p.data), p.indexes, all*share, first)
		}
		before, first = part.records, 0
	}
}

// putData adds the data blocks of a segment, with Gets that find their keys there and others, which are spread evenly. The
// first block has some accesses more.
func (s *Steady) putData(part *segment, found, others, first float64) {
	whole := part.blocks / liveGroups * liveGroups
	if part.live == nil || whole == 0 {
		s.putBlocks(readpath.Data, float64(part.blocks), part.blockSize, found+others, first)
		return
	}
	inGroups := float64(whole) / float64(part.blocks)
	s.putBlocks(readpath.Data, float64(part.blocks-whole), part.blockSize, (found+others)*(1-inGroups), 0)
	for g := range liveGroups {
		all := (found*part.live.share(g) + others/liveGroups) * inGroups
		s.putBlocks(readpath.Data, float64(whole/liveGroups), part.blockSize, all, first)
		first = 0
	}
}

// putBlocks adds n blocks that share all accesses equally; the first has some more.
func (s *Steady) putBlocks(c readpath.Component, n float64, size blockSize, all, first float64) {
	if n == 0 {
		return
	}
	if n <= 1 {
		s.put(c, n, size, all+first)
		return
	}
	each := all / n
	s.put(c, 1, size, each+first)
	s.put(c, n-1, size, (n-1)*each)
}

// put adds n equal blocks with the given accesses per Get in all.
func (s *Steady) put(c readpath.Component, n float64, size blockSize, accesses float64) {
	if accesses <= 0 || size.bytes == 0 {
		return
	}
	s.accesses[c] += accesses
	at := int(-math.Log2(accesses/n/float64(size.size)) * bucketsPerDoubling)
	b := &s.buckets[min(max(at, 0), bucketCount-1)]
	b.bytes += n * float64(size.size)
	b.accesses[c] += accesses
	b.asked[c] += accesses * float64(size.bytes)
}

// Accesses returns the accesses per Get of each component.
func (s *Steady) Accesses() readpath.Means { return s.accesses }

// Misses returns the misses per Get of each component, with a cache that has cacheBytes for blocks.
func (s *Steady) Misses(cacheBytes int64) readpath.Means {
	misses, _ := s.read(cacheBytes)
	return misses
}

// read returns the misses per Get of each component, and their uncompressed bytes.
func (s *Steady) read(cacheBytes int64) (misses, bytes readpath.Means) {
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

// IOsPerGet returns the misses per Get.
func (s *Steady) IOsPerGet(cacheBytes int64) float64 { return s.Misses(cacheBytes).Sum() }
