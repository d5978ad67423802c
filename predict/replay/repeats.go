package replay

import (
	"container/heap"
	"math/rand/v2"
)

// repeats are the accesses of a sample's blocks by Gets that are not in the sample. They lie at
// random moments between the accesses that are. Those between a block's last access and its first
// lie behind the one and before the other, so that a block is not met too late.
type repeats struct {
	sample *sample
	blocks map[uint64]*sampled
	gaps   []uint32 // of each access, in Gets, until its block is accessed next
	random *rand.Rand
	due    moments
}

func newRepeats(s *sample, blocks map[uint64]*sampled, without int) *repeats {
	r := &repeats{sample: s, blocks: blocks, gaps: make([]uint32, len(s.accesses)), random: rand.New(rand.NewPCG(1, uint64(without+1)))}
	type course struct{ first, lastGet, last int } // two Gets, an access
	known := map[uint64]*course{}
	var all []*course
	s.each(without, func(get, i int) {
		at := s.accesses[i].Number
		c := known[at]
		if c == nil {
			c = &course{first: get}
			known[at] = c
			all = append(all, c)
		} else {
			r.gaps[c.last] = uint32(get - c.lastGet)
		}
		c.lastGet, c.last = get, i
	})
	for _, c := range all {
		r.add(c.lastGet, c.last, len(s.ends)-c.lastGet+c.first)
	}
	return r
}

// add spreads the repeats of an access over the Gets behind it. The first Get comes behind the last.
func (r *repeats) add(get, access, gap int) {
	gets := float64(len(r.sample.ends))
	extra := r.blocks[r.sample.accesses[access].Number].extra
	for n := int(extra + r.random.Float64()); n > 0; n-- { // rounded so that the mean is kept
		at := float64(get) + r.random.Float64()*float64(gap)
		if at >= gets {
			at -= gets
		}
		heap.Push(&r.due, moment{at, access})
	}
}

// follow adds the repeats behind an access that a Get has made.
func (r *repeats) follow(get, access int) {
	if gap := r.gaps[access]; gap > 0 {
		r.add(get, access, int(gap))
	}
}

// until calls use with the repeats that are due before a Get.
func (r *repeats) until(get int, use func(access int)) {
	for len(r.due) > 0 && r.due[0].at < float64(get) {
		use(heap.Pop(&r.due).(moment).access)
	}
}

// moment is an access that is repeated at a time, counted in Gets.
type moment struct {
	at     float64
	access int
}

// moments are ordered by their times, as a heap.
type moments []moment

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i].at < m[j].at }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any)        { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any {
	last := len(*m) - 1
	x := (*m)[last]
	*m = (*m)[:last]
	return x
}
