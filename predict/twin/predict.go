package twin

import (
	"context"
	"slices"

	"getio/numbers/steady"
	"getio/record"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Plan says how many Gets a prediction simulates.
type Plan struct {
	Warmup int64 // Gets that are not counted
	Gets   int64 // Gets of the window that is counted
	// Most is how many Gets are made at most, these included, to find the steady
	// state. It may be found within these too.
	Most int64
}

// Prediction is what one cache does.
type Prediction struct {
	Cache  Cache
	Window Counts // of the plan's Gets
	// Last is the second half of all Gets, in which the run has come to rest after
	// GetsToSteady Gets in all. That is 0 if it did not within the plan.
	Last         Counts
	GetsToSteady int64
	// Windows are all Gets that were simulated with the cache, from the first on.
	Windows []steady.Window
	// Causes divide the window's I/Os per Get. Those of capacity are what the best
	// cache of this size would read that holds the same blocks for ever; those of
	// policy are what remains. They are negative where a cache does better than
	// any that never changes what it holds, as may happen while it is filled.
	Causes record.Causes
}

// Predict simulates a plan's Gets with each cache.
func (p Plan) Predict(ctx context.Context, t *Tree, w Workload, caches []Cache, progress func(done int64)) ([]Prediction, error) {
	s, err := NewSimulation(t, w, caches)
	if err != nil {
		return nil, err
	}
	minGets := t.shape().MinWindowGets()
	run := predicting{simulation: s, minGets: minGets, stride: minGets, histories: make([]history, len(caches))}
	if progress != nil {
		s.Progress = func(done int64) { progress(run.made + done) }
	}
	if _, err := run.make(ctx, p.Warmup); err != nil {
		return nil, err
	}
	window, err := run.make(ctx, p.Gets)
	if err != nil {
		return nil, err
	}
	for run.made < p.Most && !run.allSteady() {
		run.dropSteady()
		if _, err := run.make(ctx, min(run.stride, p.Most-run.made)); err != nil {
			return nil, err
		}
	}
	best := NewSteady(t, w.Absent)
	predictions := make([]Prediction, len(caches))
	for i := range predictions {
		c := &run.histories[i]
		predictions[i] = Prediction{
			Cache: caches[i], Window: window[i], Last: c.lastHalf(), GetsToSteady: c.steadyAfter, Windows: c.windows(),
			Causes: causes(&window[i], best.Misses(caches[i].Bytes)),
		}
	}
	return predictions, nil
}

// causes divides reads, component by component: what is read for the first time
// is not counted again as lack of room.
func causes(c *Counts, least [readpath.NumComponents]float64) (causes record.Causes) {
	for component, misses := range c.Misses {
		all := misses / float64(c.Gets)
		first := min(float64(c.First[component])/float64(c.Gets), all)
		capacity := max(least[component]-first, 0)
		causes.Compulsory += first
		causes.Capacity += capacity
		causes.Policy += all - first - capacity
	}
	return causes
}

// predicting is a prediction under way.
type predicting struct {
	simulation *Simulation
	minGets    int64 // of a window from which rest is read
	stride     int64 // Gets of the next windows
	made       int64
	histories  []history // of each cache
}

// make makes Gets in windows, and looks after each which caches have come to rest.
func (r *predicting) make(ctx context.Context, gets int64) ([]Counts, error) {
	sums := make([]Counts, len(r.histories))
	for made := int64(0); made < gets; {
		n := min(r.stride, gets-made)
		counts, err := r.simulation.Run(ctx, n)
		if err != nil {
			return nil, err
		}
		made += n
		r.made += n
		for i := range counts {
			if counts[i].Gets == 0 {
				continue // left out
			}
			sums[i].add(&counts[i])
			if c := &r.histories[i]; c.add(&counts[i]) {
				c.checkSteady(r.minGets, r.made)
			}
		}
		r.widen()
	}
	return sums, nil
}

// widen makes windows twice as long when there are many.
func (r *predicting) widen() {
	for i := range r.histories {
		if len(r.histories[i].counts) < keptWindows {
			continue
		}
		r.stride *= 2
		for j := range r.histories {
			r.histories[j].halve()
		}
		return
	}
}

// dropSteady simulates no longer what has come to rest.
func (r *predicting) dropSteady() {
	for i := range r.histories {
		if r.histories[i].steadyAfter > 0 {
			r.simulation.drop(i)
		}
	}
}

func (r *predicting) allSteady() bool {
	return !slices.ContainsFunc(r.histories, func(c history) bool { return c.steadyAfter == 0 })
}

// shape is the totals of the tree, as far as lsm.Shape.MinWindowGets goes by them.
func (t *Tree) shape() *lsm.Shape {
	l := lsm.Level{Tables: int64(len(t.tables))}
	for i := range t.tables {
		l.IndexBlocks += int64(t.tables[i].index)
	}
	return &lsm.Shape{Levels: []lsm.Level{l}}
}
