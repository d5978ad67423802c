package replay

import (
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"getio/dataset/trace"
	"getio/predict/cachesim"
	"getio/tree/readpath"
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
	component readpath.Component
	accesses  int
	in        int     // the sampled neighbourhoods that it serves
	repeat    float64 // pN, 1 or more
	// extra is the accesses by other neighbourhoods that come with each of the sample.
	extra float64
}

// sample is a recording of a sample.
type sample struct {
	*Recording
	one    int64 // of so many neighbourhoods
	groups int64 // into which the neighbourhoods are divided for the error
}

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

// jackknifeGroups is the number of parts of a sample, each left out once to see what chance does.
const jackknifeGroups = 10

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

// blocks says of each block of the sample how it stands for all.
func (s *sample) blocks(rate float64, without int) map[uint64]*sampled {
	served := map[pair]int{}
	blocks := map[uint64]*sampled{}
	s.each(without, func(get, i int) {
		at := s.accesses[i].Number()
		b := blocks[at]
		if b == nil {
			b = &sampled{component: s.accesses[i].Component}
			blocks[at] = b
		}
		b.accesses++
		p := pair{at, s.in[get]}
		if served[p]++; served[p] == 1 {
			b.in++
		}
	})
	s.estimate(blocks, served, rate)
	return blocks
}

// pair is a block and a neighbourhood that it serves.
type pair struct {
	block uint64
	in    int64
}

// kind is the blocks of a component in one table or, if that has few, in the tables of a level that
// have few.
type kind struct {
	file      uint64 // 0: of all such tables
	level     int
	component readpath.Component
}

// kindOf returns the kind of each component of each table.
func (s *sample) kindOf(blocks map[uint64]*sampled) func(place uint64) kind {
	const enough = 50 // blocks, for a table to be told apart
	count := map[kind]int{}
	of := func(place uint64) kind {
		file := place >> 32
		return kind{file, s.levels[file], blocks[place].component}
	}
	for place := range blocks {
		count[of(place)]++
	}
	return func(place uint64) kind {
		k := of(place)
		if count[k] < enough {
			k.file = 0
		}
		return k
	}
}

// common is what the blocks of a kind have in common.
type common struct {
	blocks, in float64
	accesses   []int // by each neighbourhood that a block serves
	usual      float64
}

// enoughIn is the number of sampled neighbourhoods of a block from which it speaks for itself. With
// fewer, chance decides too much, and the mean of the blocks of its kind does.
const enoughIn = 8

// estimate sets repeat and extra of all blocks.
func (s *sample) estimate(blocks map[uint64]*sampled, served map[pair]int, rate float64) {
	kindOf, kinds := s.kindOf(blocks), map[kind]*common{}
	for place, b := range blocks {
		k := kindOf(place)
		if kinds[k] == nil {
			kinds[k] = &common{}
		}
		kinds[k].blocks++
		kinds[k].in += float64(b.in)
	}
	for p, n := range served {
		of := kinds[kindOf(p.block)]
		of.accesses = append(of.accesses, n)
	}
	for _, of := range kinds {
		of.usual = typical(of.accesses)
	}
	for place, b := range blocks {
		in := float64(b.in)
		own, each := in, float64(b.accesses)/in
		if of := kinds[kindOf(place)]; b.in < enoughIn {
			own, each = of.in/of.blocks, of.usual
		}
		all := neighbourhoodsOf(own, rate)
		b.repeat = (1 - math.Pow(1-rate, all)) / rate
		b.extra = max(all-in, 0) * each / float64(b.accesses)
	}
}

// typical returns the mean of numbers, of which those far above the median count less: a few keys are
// asked for so often that they are always in a cache, and say nothing of the others.
func typical(numbers []int) float64 {
	slices.Sort(numbers)
	most, sum := 8*numbers[len(numbers)/2], 0
	for _, n := range numbers {
		sum += min(n, most)
	}
	return float64(sum) / float64(len(numbers))
}

// neighbourhoodsOf returns how many neighbourhoods a block serves, if so many of them are in a sample
// that has the block: the most likely number m has in = m*rate/(1-(1-rate)^m).
func neighbourhoodsOf(in, rate float64) float64 {
	if in <= 1 {
		return 1
	}
	least, most := 1.0, in/rate
	for range 60 {
		m := (least + most) / 2
		if m*rate/(1-math.Pow(1-rate, m)) < in {
			least = m
		} else {
			most = m
		}
	}
	return most
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
		results[0][i].Error = &off
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
