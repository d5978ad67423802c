package twin

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/workload"
	"getio/workload/popularity"
)

// Simulation sends one stream of Gets through several caches, which start empty.
type Simulation struct {
	gets   *gets
	caches []simulated // nil if dropped
	seen   []uint64    // bit set of the blocks accessed before
	chunks [2][]Access
	// Progress, if it is set, is called with the Gets made of a run.
	Progress func(done int64)
}

// NewSimulation prepares a simulation.
func NewSimulation(t *Tree, keys workload.Keys, caches []Cache) (*Simulation, error) {
	g, err := newGets(t, keys)
	if err != nil {
		return nil, err
	}
	s := &Simulation{gets: g, seen: make([]uint64, t.Blocks()/64+1)}
	for _, c := range caches {
		k, err := t.newCache(c)
		if err != nil {
			return nil, err
		}
		s.caches = append(s.caches, k)
	}
	return s, nil
}

// Counts counts what Gets did in one cache. Misses of a sampled cache are estimates.
type Counts struct {
	Gets     int64
	Accesses readpath.PerComponent
	// First counts first accesses of blocks: compulsory misses.
	First  readpath.PerComponent
	Misses readpath.Means
	// MissBytes is the uncompressed size of the missed blocks.
	MissBytes readpath.Means
	// MissError is the standard error of the total misses: the shards differ, and are not those of the database;
	// or only one. Of a varyingCache, it is the standard deviation between variants.
	MissError float64
	// Device counts device reads, for each page cache.
	Device []cachesim.Device
}

// IOsPerGet returns the misses per Get.
func (c *Counts) IOsPerGet() float64 { return c.Misses.Sum() / float64(c.Gets) }

// chunkGets is how many Gets are drawn at a time: enough to make handing them out cheap, few
// enough to stay in the processor's last-level cache.
const chunkGets = 1 << 15

// Run makes n more Gets and returns their counts by cache.
func (s *Simulation) Run(ctx context.Context, n int64) ([]Counts, error) {
	for _, c := range s.caches {
		if c != nil {
			c.begin()
		}
	}
	run := Counts{Gets: n}
	chunk := s.draw(&run, 0, min(n, chunkGets))
	for done := int64(0); done < n; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		now := min(n-done, chunkGets)
		wait := s.access(chunk)
		done += now
		// The next Gets are drawn while the caches work on these.
		chunk = s.draw(&run, int(done/chunkGets), min(n-done, chunkGets))
		wait()
		if s.Progress != nil {
			s.Progress(done)
		}
	}
	all := make([]Counts, len(s.caches))
	for i, c := range s.caches {
		if c != nil {
			all[i] = run
			c.estimate(&all[i])
		}
	}
	return all, nil
}

// drop leaves cache i out of further runs; its counts are then zero.
func (s *Simulation) drop(i int) { s.caches[i] = nil }

// draw draws n Gets into the chunk of the given number, and counts their accesses.
func (s *Simulation) draw(run *Counts, number int, n int64) []Access {
	accesses := s.chunks[number%2][:0]
	for range n {
		from := len(accesses)
		accesses = s.gets.next(accesses)
		for _, a := range accesses[from:] {
			run.Accesses[a.Component]++
			word, bit := &s.seen[a.Block/64], uint64(1)<<(a.Block%64)
			if *word&bit == 0 {
				*word |= bit
				run.First[a.Component]++
			}
		}
	}
	s.chunks[number%2] = accesses
	return accesses
}

// access sends a chunk through all caches on all processors. wait waits for the end.
func (s *Simulation) access(accesses []Access) (wait func()) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(s.caches)) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(s.caches)); i = next.Add(1) - 1 {
				if s.caches[i] != nil {
					s.caches[i].access(accesses)
				}
			}
		})
	}
	return group.Wait
}

// gets draws Gets.
type gets struct {
	tree    *Tree
	random  *wyrand.Random
	absent  float64
	popular *popularity.Distribution // nil if all records are equally popular
	asked   func() uint64            // as in Plan
}

func newGets(t *Tree, k workload.Keys) (*gets, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	g := &gets{tree: t, random: wyrand.New(k.Seed), absent: k.Absent}
	if !k.Popularity.Uniform() {
		g.popular = k.Popularity.Of(t.Records(), k.Seed)
	}
	return g, nil
}

// next appends the accesses of the next Get. All Gets of a popular record ask for the same key,
// for which filters always answer the same.
func (g *gets) next(dst []Access) []Access {
	var record uint64
	random := g.random
	if g.asked != nil {
		number := g.asked()
		record, _ = bits.Mul64(number, g.tree.Records())
		return g.tree.Existing(dst, record, wyrand.New(number))
	}
	if g.popular == nil {
		record = random.Below(g.tree.Records())
	} else {
		record = g.popular.Number(random.Uint64())
		random = wyrand.New(record)
	}
	if g.absent > 0 && g.random.Float64() < g.absent {
		return g.tree.Absent(dst, record, random)
	}
	return g.tree.Existing(dst, record, random)
}
