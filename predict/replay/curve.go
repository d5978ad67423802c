package replay

import (
	"context"

	"getio/engine"
	"getio/measure/workload"
	"getio/predict/cachesim"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Cache is a block cache to simulate.
type Cache struct {
	Bytes    int64 // reserved ones included
	Reserved int64 // not for blocks that Gets look up; divided over the shards
	Shards   int

	variant uint64 // of a library that varies
}

// Counts counts what the counted Gets did in one cache. Of TableOpen, it has the reads that opened tables again.
type Counts struct {
	Accesses, Misses readpath.PerComponent
}

// Curve makes a run's Gets once and returns their counts in each cache. These are exactly the
// counts of the same Gets, made one after another with the library's own cache, unless that varies.
func (r Run) Curve(ctx context.Context, s engine.Store, gets workload.Sequence, library cachesim.Library, caches []Cache) ([]Counts, error) {
	sim, err := newSimulation(library, caches)
	if err != nil {
		return nil, err
	}
	err = r.each(ctx, s, gets, func(made int64, g Get) {
		sim.access(g, made >= r.Warmup)
	})
	return sim.counts, err
}

// simulation simulates caches and counts what the counted Gets do in them.
type simulation struct {
	caches []cachesim.Cache
	counts []Counts
}

func newSimulation(library cachesim.Library, caches []Cache) (*simulation, error) {
	s := &simulation{counts: make([]Counts, len(caches))}
	for _, c := range caches {
		variant := library
		if v, ok := library.(cachesim.Varying); ok {
			variant = v.Variant(c.variant)
		}
		simulated, err := variant.New(c.Bytes, c.Reserved, c.Shards)
		if err != nil {
			return nil, err
		}
		s.caches = append(s.caches, simulated)
	}
	return s, nil
}

// access sends a Get's accesses through all caches. Which tables are open does not depend on the block cache.
func (s *simulation) access(g Get, counted bool) {
	for _, a := range g.Accesses {
		for i, c := range s.caches {
			hit := a.Component != readpath.Blob && c.Access(a)
			if counted && (a.Component != readpath.TableOpen || g.opensAgain(a.File)) {
				s.counts[i].add(a.Component, hit)
			}
		}
	}
	if counted {
		for i := range s.counts {
			s.counts[i].Accesses[readpath.TableOpen] += g.Reopens
			s.counts[i].Misses[readpath.TableOpen] += g.Reopens
		}
	}
}

func (c *Counts) add(of readpath.Component, hit bool) {
	c.Accesses[of]++
	if !hit {
		c.Misses[of]++
	}
}

// Recording keeps the accesses of a run's Gets in memory, about a hundred bytes per Get. It leaves out reads that open
// tables again: the Gets of a sample open fewer tables than all Gets, and the twin opens none.
type Recording struct {
	Profile Profile

	run      Run
	accesses []cachesim.Block
	ends     []int          // of each Get's accesses
	in       []int64        // each Get's neighbourhood, if they are a sample
	levels   map[uint64]int // of tables, by file
}

// Record makes a run's Gets and keeps their accesses.
func (r Run) Record(ctx context.Context, s engine.Store, gets workload.Sequence) (*Recording, error) {
	rec := &Recording{Profile: newProfile(), run: r, levels: levelsOf(s.Shape())}
	err := r.each(ctx, s, gets, func(_ int64, g Get) {
		rec.Profile.add(g)
		rec.accesses = append(rec.accesses, g.Accesses...)
		rec.ends = append(rec.ends, len(rec.accesses))
		if g.In > 0 {
			rec.in = append(rec.in, g.In)
		}
	})
	return rec, err
}

// Curve returns the counts of the Gets in each cache, as Run.Curve does.
func (r *Recording) Curve(ctx context.Context, library cachesim.Library, caches []Cache) ([]Counts, error) {
	sim, err := newSimulation(library, caches)
	if err != nil {
		return nil, err
	}
	from := 0
	for made, end := range r.ends {
		if made%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sim.access(Get{Accesses: r.accesses[from:end]}, int64(made) >= r.run.Warmup)
		from = end
	}
	return sim.counts, nil
}

func levelsOf(s *lsm.Shape) map[uint64]int {
	levels := map[uint64]int{}
	for _, l := range s.Levels {
		for _, t := range l.TableList {
			levels[t.File] = l.Level
		}
	}
	return levels
}
