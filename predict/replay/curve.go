package replay

import (
	"context"
	"slices"

	"getio/engine"
	"getio/engine/lsm"
	"getio/measure/keysource"
	"getio/numbers/interval"
	"getio/numbers/steady"
	"getio/predict/cachesim"
)

// A run whose counted Gets are not given has usualGets. It is doubled, up to mostGets, until each figure is known: half of
// its 95% interval is at most knownShare of it, or knownReads. A cache that one Get in thousands empties takes most Gets.
const (
	usualGets  = 200_000
	mostGets   = 16 * usualGets
	knownShare = 0.01
	knownReads = 0.005
)

// parts returns the windows of the counted Gets, with the mean reads of a library's variants.
func (r *Run) parts(variants []Windows) []steady.Window {
	parts := make([]steady.Window, windows)
	for i := range int64(windows) {
		parts[i].Gets = (i+1)*r.Gets/windows - i*r.Gets/windows
		for _, reads := range variants {
			parts[i].Reads += float64(reads[i]) / float64(len(variants))
		}
	}
	return parts
}

// series returns the windows of a cache's misses in all variants of a library and, for each page cache, of the device reads.
func series(variants []Counts) [][]Windows {
	all := make([][]Windows, 1)
	for _, c := range variants {
		all[0] = append(all[0], c.Windows)
	}
	for _, d := range variants[0].Device {
		all = append(all, []Windows{d.Windows})
	}
	return all
}

// known reports whether all figures are, of caches with a number of variants each.
func (r *Run) known(counts []Counts, variants int) bool {
	for each := range slices.Chunk(counts, variants) {
		for _, reads := range series(each) {
			e, ok := steady.Estimate(r.parts(reads))
			if ok && e.HalfWidth(interval.Usual) > max(knownShare*e.Mean, knownReads) {
				return false
			}
		}
	}
	return true
}

// double makes the run twice as long: its windows become the first half of the longer run's.
func (r *Run) double(counts []Counts) {
	r.Gets *= 2
	for i := range counts {
		counts[i].Windows = counts[i].Windows.halved()
		for k := range counts[i].Device {
			d := &counts[i].Device[k]
			d.Windows = d.Windows.halved()
		}
	}
}

func (w Windows) halved() (half Windows) {
	for i, reads := range w {
		half[i/2] += reads
	}
	return half
}

// window returns the part of the counted Gets that a Get belongs to. The first i of n parts have i/n of all, rounded down.
func (r *Run) window(made int64) int {
	if made < r.Warmup {
		return uncounted
	}
	return int(((made-r.Warmup+1)*windows - 1) / r.Gets)
}

// curve makes a run's Gets once and returns their counts in each cache: in all variants of the first one, then of the
// second, and so on. These are exactly the counts of the same Gets, made one after another with the library's own cache,
// unless its reads are random (cachesim.VariantsOf).
func (r *Run) curve(ctx context.Context, s engine.Store, gets keysource.Sequence, variants []cachesim.Library, caches []Cache) ([]Counts, error) {
	sim, err := newSimulation(variants, caches, s)
	if err != nil {
		return nil, err
	}
	grows := r.Gets == 0
	if grows {
		r.Gets = usualGets
	}
	err = r.each(ctx, s, gets, func(made int64, g Get) {
		sim.access(g, r.window(made))
		if grows && made+1 == r.Warmup+r.Gets && r.Gets < mostGets && !r.known(sim.finish(), len(variants)) {
			r.double(sim.counts)
		}
	})
	return sim.finish(), err
}

// Recording keeps the accesses of a run's Gets in memory, about a hundred bytes per Get. It leaves out reads that open
// tables again: the Gets of a sample open fewer tables than all Gets, and the twin opens none.
type Recording struct {
	run      Run
	accesses []cachesim.Block
	ends     []int          // of each Get's accesses
	in       []int64        // each Get's neighbourhood, if they are a sample
	levels   map[uint64]int // of tables, by file
}

// Record makes a run's Gets and keeps their accesses.
func (r *Run) Record(ctx context.Context, s engine.Store, gets keysource.Sequence) (*Recording, error) {
	rec := &Recording{run: *r, levels: levelsOf(s.Shape())}
	err := r.each(ctx, s, gets, func(_ int64, g Get) {
		rec.accesses = append(rec.accesses, g.Accesses...)
		rec.ends = append(rec.ends, len(rec.accesses))
		if g.In > 0 {
			rec.in = append(rec.in, g.In)
		}
	})
	return rec, err
}

// Curve returns the counts of the Gets in each cache, as Run.curve does.
func (r *Recording) Curve(ctx context.Context, library cachesim.Library, caches []Cache) ([]Counts, error) {
	sim, err := newSimulation([]cachesim.Library{library}, caches, nil)
	if err != nil {
		return nil, err
	}
	from := 0
	for made, end := range r.ends {
		if made%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sim.access(Get{Accesses: r.accesses[from:end]}, r.run.window(int64(made)))
		from = end
	}
	return sim.finish(), nil
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
