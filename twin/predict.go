package twin

import (
	"context"

	"getio/lsm"
	"getio/readpath"
	"getio/record"
	"getio/steady"
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
	Windows []Counts
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
	run := predicting{simulation: s, minGets: steady.MinGets(t.shape()), windows: make([][]Counts, len(caches)), rest: make([]Prediction, len(caches))}
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
	for run.made < p.Most && !run.settled() {
		run.leaveSettled()
		if _, err := run.make(ctx, min(run.minGets, p.Most-run.made)); err != nil {
			return nil, err
		}
	}
	best := NewSteady(t, w.Absent)
	for i := range run.rest {
		r := &run.rest[i]
		r.Cache, r.Window, r.Windows = caches[i], window[i], run.windows[i]
		if r.GetsToSteady == 0 {
			r.Last = run.lastHalf(i)
		}
		r.Causes = causes(&window[i], best.Misses(caches[i].Bytes))
	}
	return run.rest, nil
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
	made       int64
	windows    [][]Counts   // of each cache, from the first Get on
	rest       []Prediction // of which only what is steady is known
}

// make makes Gets in windows, and looks after each which caches have come to rest.
func (r *predicting) make(ctx context.Context, gets int64) ([]Counts, error) {
	sums := make([]Counts, len(r.windows))
	for made := int64(0); made < gets; {
		n := min(r.minGets, gets-made)
		counts, err := r.simulation.Run(ctx, n)
		if err != nil {
			return nil, err
		}
		made += n
		r.made += n
		for i := range counts {
			if counts[i].Gets == 0 {
				continue
			}
			sums[i].add(&counts[i])
			r.windows[i] = append(r.windows[i], counts[i])
			r.look(i)
		}
	}
	return sums, nil
}

// look notes whether cache i has come to rest: by the second half of its windows,
// so that what they say is not drowned in how they began.
func (r *predicting) look(i int) {
	if r.rest[i].GetsToSteady > 0 {
		return
	}
	var windows []steady.Window
	for _, c := range r.windows[i][len(r.windows[i])/2:] {
		windows = append(windows, steady.Window{Gets: c.Gets, Reads: c.IOsPerGet() * float64(c.Gets)})
	}
	if change, ok := steady.Drift(windows, r.minGets, r.made); ok && steady.Is(change) {
		r.rest[i].GetsToSteady = r.made
		r.rest[i].Last = r.lastHalf(i)
	}
}

// lastHalf sums the second half of cache i's windows.
func (r *predicting) lastHalf(i int) (sum Counts) {
	for _, c := range r.windows[i][len(r.windows[i])/2:] {
		sum.add(&c)
	}
	return sum
}

// leaveSettled simulates no longer what has come to rest.
func (r *predicting) leaveSettled() {
	for i := range r.rest {
		if r.rest[i].GetsToSteady > 0 {
			r.simulation.leave(i)
		}
	}
}

func (r *predicting) settled() bool {
	for i := range r.rest {
		if r.rest[i].GetsToSteady == 0 {
			return false
		}
	}
	return true
}

// add adds the counts of further Gets.
func (c *Counts) add(more *Counts) {
	c.Gets += more.Gets
	c.Accesses = c.Accesses.Add(more.Accesses)
	c.First = c.First.Add(more.First)
	for component, n := range more.Misses {
		c.Misses[component] += n
		c.MissBytes[component] += more.MissBytes[component]
	}
	// Errors of the same shards go the same way.
	c.MissError += more.MissError
}

// shape is the totals of the tree, as far as steady.MinGets goes by them.
func (t *Tree) shape() *lsm.Shape {
	l := lsm.Level{Tables: int64(len(t.tables))}
	for i := range t.tables {
		l.IndexBlocks += int64(t.tables[i].index)
	}
	return &lsm.Shape{Levels: []lsm.Level{l}}
}
