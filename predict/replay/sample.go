package replay

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"getio/engine/readpath"
	"getio/predict/cachesim"
	"getio/workload/trace"
)

// A sample of Gets, those of one in N neighbourhoods of keys, goes through a cache of an Nth of the
// size (SHARDS: Waldspurger et al., FAST '15). That is right for blocks that lie in one
// neighbourhood: an Nth of them are left, each with all its accesses. A filter or an index serves
// many neighbourhoods: it is left in any case, with an Nth of its accesses. So a block that lies in
// a sample with probability p takes 1/(pN) of its bytes there, and each of its accesses counts
// 1/p. The accesses by neighbourhoods that are not in the sample are put back, at random moments
// between its own.

// sampled is what a sample says of one block.
type sampled struct {
	cachesim.Block
	accesses int
	in       int     // the sampled neighbourhoods that it serves
	width    float64 // the neighbourhoods beside it; 0 if unknown
	repeat   float64 // pN, 1 or more
	// extra is the accesses by other neighbourhoods that come with each of the sample.
	extra float64
}

// pair is a block and a neighbourhood that it serves.
type pair struct {
	block *sampled
	in    int64
}

// sample is a recording of a sample.
type sample struct {
	*Recording
	one    int64 // of so many neighbourhoods
	groups int64 // into which the neighbourhoods are divided for the error
}

// each calls use with all accesses and the Gets that make them.
func (s *sample) each(without int, use func(get, access int)) {
	from := 0
	for get, end := range s.ends {
		if !s.leftOut(get, without) {
			for i := from; i < end; i++ {
				use(get, i)
			}
		}
		from = end
	}
}

func (s *sample) leftOut(get, without int) bool {
	return without >= 0 && s.in[get]%s.groups == int64(without)
}

// scaled simulates caches that are scaled down with a sample.
type scaled struct {
	library  cachesim.Library
	rate     float64
	blocks   map[uint64]*sampled
	policies [][]cachesim.Policy // by cache and shard
	results  []PerGet
}

// newScaled returns caches of which every shard keeps about the size that it has in full: a scaled
// cache has fewer of them.
func newScaled(library cachesim.Library, caches []Cache, rate float64, blocks map[uint64]*sampled) (*scaled, error) {
	s := &scaled{library: library, rate: rate, blocks: blocks, policies: make([][]cachesim.Policy, len(caches)), results: make([]PerGet, len(caches))}
	for i, c := range caches {
		shards := max(int(math.Round(float64(c.Shards)*rate)), 1)
		room := float64(c.Bytes-c.Reserved) * rate / float64(shards)
		for range shards {
			policy, err := cachesim.New(library.Policy(), max(int64(room), 1))
			if err != nil {
				return nil, fmt.Errorf("a sample of Gets cannot be simulated in the cache of this library (%w): record all Gets", err)
			}
			s.policies[i] = append(s.policies[i], policy)
		}
	}
	return s, nil
}

func (s *scaled) access(a *cachesim.Block, counted bool) {
	at := a.Number
	repeat := s.blocks[at].repeat
	size := uint32(max(math.Round(float64(s.library.Charge(*a))/repeat), 1))
	count := 1 / (repeat * s.rate)
	for i, shards := range s.policies {
		hit := shards[s.library.ShardOf(*a, len(shards))].Access(at, size)
		if !counted {
			continue
		}
		s.results[i].Accesses[a.Component] += count
		if !hit {
			s.results[i].Misses[a.Component] += count
			s.results[i].PageBytes += count * float64(readpath.PageBytes*readpath.Pages(a.Offset, int(a.Stored)))
		}
	}
}

// jackknifeGroups is the number of parts of a sample, each left out once to see what chance does.
const jackknifeGroups = 10

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
		all[i].PageBytes /= gets
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
	return math.Sqrt(float64(len(without)-1) * stat.PopVariance(without, nil))
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
