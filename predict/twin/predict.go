package twin

import (
	"context"
	"slices"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/predict/cachesim"
	"getio/record"
	"getio/workload"
)

// Plan says how many Gets a prediction simulates.
type Plan struct {
	Warmup int64 // Gets before the counted window
	Gets   int64 // Gets in the counted window
	// Most bounds all Gets, these included, made to find the steady state.
	Most int64
	// Asked, if not nil, returns the number of the key of each Get in turn: equal for equal keys, and
	// spread over all 64 bits. Then nothing is drawn.
	Asked func() uint64
	// Memory holds, for each cache, the divisions of a machine's memory to simulate; nil: no page cache is simulated.
	Memory [][]record.PredictedMemory
}

// Prediction is the result of one cache.
type Prediction struct {
	Cache  Cache
	Memory []record.PredictedMemory // as in Plan, without the device reads
	Window Counts                   // of the plan's Gets
	// Last counts the second half of all Gets. GetsToSteady is after how many Gets the run was
	// steady, 0 if it was not within the plan.
	Last         Counts
	GetsToSteady int64
	// Windows are all Gets simulated with the cache, warm-up included.
	Windows []steady.Window
	// FirstPages are those that Gets of the window were the first to touch.
	FirstPages int64
	// Causes divide the window's I/Os per Get. Capacity is what the best static cache of this
	// size would read beyond compulsory reads; policy is the rest. It is negative where a cache
	// does better than any static one, as may happen while it fills.
	Causes record.Causes
	parts  []Counts // of the window, of about equal length; only with page caches
}

// Predict simulates a plan's Gets with each cache.
func (p Plan) Predict(ctx context.Context, t *Tree, keys workload.Keys, caches []Cache, progress func(done int64)) ([]Prediction, error) {
	s, err := NewSimulation(t, keys, caches)
	if err != nil {
		return nil, err
	}
	s.gets.asked = p.Asked
	for i, memory := range p.Memory {
		s.caches[i].put(t, memory)
	}
	minGets := t.shape().MinWindowGets()
	run := predicting{simulation: s, minGets: minGets, stride: minGets, histories: make([]history, len(caches))}
	if progress != nil {
		s.Progress = func(done int64) { progress(run.made + done) }
	}
	if _, err := run.make(ctx, p.Warmup); err != nil {
		return nil, err
	}
	before := s.touchedPages()
	window, parts, err := run.window(ctx, p)
	if err != nil {
		return nil, err
	}
	firstPages := s.touchedPages() - before
	for run.made < p.Most && !run.allSteady() {
		run.dropSteady()
		if _, err := run.make(ctx, min(run.stride, p.Most-run.made)); err != nil {
			return nil, err
		}
	}
	best := NewSteady(t, keys.Absent)
	predictions := make([]Prediction, len(caches))
	for i := range predictions {
		c := &run.histories[i]
		predictions[i] = Prediction{
			Cache: caches[i], Window: window[i], Last: c.lastHalf(), GetsToSteady: c.steadyAfter, Windows: c.windows(),
			FirstPages: firstPages, Causes: causes(&window[i], best.Misses(caches[i].Bytes)),
		}
		if p.Memory != nil {
			predictions[i].Memory, predictions[i].parts = p.Memory[i], parts[i]
		}
	}
	return predictions, nil
}

// causes divides reads by cause, component by component. First reads do not count again as
// reads for lack of capacity.
func causes(c *Counts, least readpath.Means) (causes record.Causes) {
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
	minGets    int64 // least Gets in a window of the steady rule
	stride     int64 // Gets in a window from now on
	made       int64
	histories  []history // of each cache
}

// make makes Gets in windows, and checks after each which caches are steady.
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
				continue // dropped
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

// partsOfWindow is the number of parts of the window from which the interval of device reads is computed.
const partsOfWindow = 20

// window makes the counted Gets. With page caches, it makes them in parts, which it returns for each cache.
func (r *predicting) window(ctx context.Context, p Plan) (all []Counts, parts [][]Counts, err error) {
	if p.Memory == nil {
		all, err = r.make(ctx, p.Gets)
		return all, nil, err
	}
	all, parts = make([]Counts, len(r.histories)), make([][]Counts, len(r.histories))
	for i := range int64(partsOfWindow) {
		gets := (i+1)*p.Gets/partsOfWindow - i*p.Gets/partsOfWindow
		if gets == 0 {
			continue
		}
		counts, err := r.make(ctx, gets)
		if err != nil {
			return nil, nil, err
		}
		for cache := range counts {
			all[cache].add(&counts[cache])
			parts[cache] = append(parts[cache], counts[cache])
		}
	}
	return all, parts, nil
}

// deviceInterval returns the 95% interval of the device reads per Get with page cache i; nil if there are too few Gets.
func (p *Prediction) deviceInterval(i int) *[2]float64 {
	var windows []steady.Window
	for _, part := range p.parts {
		windows = append(windows, steady.Window{Gets: part.Gets, Reads: float64(part.Device[i].Reads)})
	}
	lo, hi, ok := steady.Confidence(windows)
	if !ok {
		return nil
	}
	return &[2]float64{lo, hi}
}

// widen doubles the length of windows when there are many.
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

// shape returns the totals of the tree that lsm.Shape.MinWindowGets uses.
func (t *Tree) shape() *lsm.Shape {
	return &lsm.Shape{Levels: []lsm.Level{{Tables: int64(len(t.tables)), IndexBlocks: int64(t.indexBlocks())}}}
}

// history holds the windows of a run with one cache.
type history struct {
	counts      []Counts // of all its Gets, window by window
	steadyAfter int64    // Gets after which it was steady; 0 if it is not yet
	next        int      // windows at the next check
}

// keptWindows is the number of windows above which they are merged in pairs.
const keptWindows = 1 << 11

// add adds a window, and reports whether to check for steadiness: after each window at first,
// later more rarely, so that all checks cost no more than the windows.
func (c *history) add(window *Counts) bool {
	c.counts = append(c.counts, *window)
	const often = 64
	if c.steadyAfter > 0 || len(c.counts) < c.next {
		return false
	}
	c.next = len(c.counts) + 1 + len(c.counts)/often
	return true
}

// checkSteady judges whether the run is steady after the given Gets. It looks at the second
// half of the windows, so that the cold cache does not count.
func (c *history) checkSteady(minGets, made int64) {
	windows := c.windows()
	if drift, ok := steady.DriftOf(windows[len(windows)/2:], minGets, made); ok && drift.Steady() {
		c.steadyAfter = made
	}
}

func (c *history) windows() []steady.Window {
	windows := make([]steady.Window, len(c.counts))
	for i := range c.counts {
		windows[i] = steady.Window{Gets: c.counts[i].Gets, Reads: c.counts[i].IOsPerGet() * float64(c.counts[i].Gets)}
	}
	return windows
}

func (c *history) lastHalf() (sum Counts) {
	for i := len(c.counts) / 2; i < len(c.counts); i++ {
		sum.add(&c.counts[i])
	}
	return sum
}

// halve merges windows in pairs; an odd last one stays as it is.
func (c *history) halve() {
	half := c.counts[:0]
	for i := 0; i < len(c.counts); i += 2 {
		sum := c.counts[i]
		if i+1 < len(c.counts) {
			sum.add(&c.counts[i+1])
		}
		half = append(half, sum)
	}
	c.counts, c.next = half, 0
}

func (c *Counts) add(more *Counts) {
	c.Gets += more.Gets
	c.Accesses = c.Accesses.Add(more.Accesses)
	c.First = c.First.Add(more.First)
	for component, n := range more.Misses {
		c.Misses[component] += n
		c.MissBytes[component] += more.MissBytes[component]
	}
	// Errors of the same shards are fully correlated, and errors of the same variants almost.
	c.MissError += more.MissError
	if c.Device == nil {
		c.Device = make([]cachesim.Device, len(more.Device))
	}
	for i, d := range more.Device {
		c.Device[i] = c.Device[i].Add(d)
	}
}
