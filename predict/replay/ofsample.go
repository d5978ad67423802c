package replay

import (
	"context"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"getio/predict/cachesim"
	"getio/workload/trace"
)

// jackknifeGroups is the number of parts of a sample, each left out once to see what chance does.
const jackknifeGroups = 10

// ofSample returns what all Gets of the program do with each cache.
func (r *Recording) ofSample(ctx context.Context, f *trace.File, library cachesim.Library, caches []Cache) ([]PerGet, error) {
	s := &sample{Recording: r, one: f.Sampled(), groups: jackknifeGroups}
	all, err := s.all(ctx, library, caches)
	if err != nil {
		return nil, err
	}
	gets := f.StandFor(r.run.Warmup, r.run.Gets)
	for i := range all {
		for c := range all[i].Misses {
			all[i].Accesses[c] /= gets
			all[i].Misses[c] /= gets
		}
		*all[i].Error /= gets
	}
	return all, nil
}

// all returns what all Gets do with each cache, as sums. The standard error follows from leaving
// out each group of neighbourhoods once (the jackknife).
func (s *sample) all(ctx context.Context, library cachesim.Library, caches []Cache) ([]PerGet, error) {
	results := make([][]PerGet, s.groups+1)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for without := -1; without < int(s.groups); without++ {
		g.Go(func() (err error) {
			results[without+1], err = s.curve(ctx, library, caches, without)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := range caches {
		var misses []float64
		for _, r := range results[1:] {
			misses = append(misses, r[i].IOs())
		}
		off := jackknife(misses)
		results[0][i].Error, results[0][i].Sampled = &off, true
	}
	return results[0], nil
}

// jackknife returns the standard error of a figure from those without each group.
func jackknife(without []float64) float64 {
	n := float64(len(without))
	mean := 0.0
	for _, x := range without {
		mean += x / n
	}
	squares := 0.0
	for _, x := range without {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares * (n - 1) / n)
}

// curve simulates caches of the given sizes for all Gets. Without leaves out the neighbourhoods of
// a group; -1 for none.
func (s *sample) curve(ctx context.Context, library cachesim.Library, caches []Cache, without int) ([]PerGet, error) {
	rate := 1 / float64(s.one)
	if without >= 0 {
		rate *= 1 - 1/float64(s.groups)
	}
	blocks := s.blocks(rate, without)
	sim, err := newScaled(library, caches, rate, blocks)
	if err != nil {
		return nil, err
	}
	due := newRepeats(s, blocks, without)
	from := 0
	for made, end := range s.ends {
		if made%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		counted := int64(made) >= s.run.Warmup
		due.until(made, func(i int) { sim.access(&s.accesses[i], counted) })
		if !s.leftOut(made, without) {
			for i := from; i < end; i++ {
				sim.access(&s.accesses[i], counted)
				due.follow(made, i)
			}
		}
		from = end
	}
	return sim.results, nil
}
