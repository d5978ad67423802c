package metrics

import (
	"sync"

	"getio/engine"
	"getio/load"
	"getio/measure"
	"getio/record"
	"getio/tree/readpath"
)

// Run is what is known of a run under way. It is safe for concurrent use.
//
// Invariant: what it exports as a counter never falls.
type Run struct {
	mu       sync.Mutex
	engine   record.Engine
	dataset  record.Dataset
	phase    phase
	planned  int              // cache sizes
	sizes    []int64          // of the cache, in bytes, in the order in which they were seen
	gets     map[getsOf]*gets // of this process
	results  map[int64]*record.Result
	written  map[string]load.Stage  // by phase, the furthest
	settling *engine.SettleProgress // nil unless a tree settles now
	// compactions are those of databases whose trees settled earlier, each since it
	// was opened, and of the last one.
	compactions struct {
		known         bool
		earlier, last int64
	}
}

// phase is the phase under way.
type phase struct {
	name, unit    string
	done, planned uint64 // planned is 0 where it is not known
}

// getsOf names the Gets that are counted together.
type getsOf struct {
	cacheBytes int64
	phase      string
}

// gets are the Gets of one phase with one cache.
type gets struct {
	earlier counted       // parts of the phase that are over
	part    measure.Stage // under way
}

// counted is what a part of a phase adds to the counters.
type counted struct {
	gets         int64
	seconds      float64
	reads, bytes readpath.PerComponent
	accesses     readpath.Accesses
}

func (c counted) add(s measure.Stage) counted {
	accesses := s.Counts.Accesses
	accesses.Count = accesses.Count.Add(c.accesses.Count)
	return counted{
		gets: c.gets + s.Done, seconds: c.seconds + s.Took.Seconds(),
		accesses: accesses,
		reads:    c.reads.Add(s.Counts.Reads.Count), bytes: c.bytes.Add(s.Counts.Reads.Bytes),
	}
}

// NewRun returns a Run of which nothing is known.
func NewRun() *Run {
	return &Run{gets: map[getsOf]*gets{}, results: map[int64]*record.Result{}, written: map[string]load.Stage{}}
}

// Identify says what is read or written: of the engine its name, version and
// preset, of the dataset its path and kind.
func (r *Run) Identify(e record.Engine, d record.Dataset) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engine, r.dataset = e, d
}

// Plan says how many cache sizes are measured.
func (r *Run) Plan(sizes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = sizes
}

// Measure takes how far a measurement is.
func (r *Run) Measure(s measure.Stage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.phase = phase{name: s.Phase, unit: "Gets", done: uint64(s.Done), planned: uint64(s.Total)}
	r.settling = nil
	r.see(s.CacheBytes)
	of := getsOf{s.CacheBytes, s.Phase}
	g := r.gets[of]
	if g == nil {
		g = &gets{}
		r.gets[of] = g
	}
	if s.Part != g.part.Part || s.Done < g.part.Done { // the phase is made again
		g.earlier = g.earlier.add(g.part)
	}
	g.part = s
}

// see notes a cache size, unless it is known.
func (r *Run) see(cacheBytes int64) {
	for _, seen := range r.sizes {
		if seen == cacheBytes {
			return
		}
	}
	r.sizes = append(r.sizes, cacheBytes)
}

// Finish takes the result of a cache size, which the caller does not change any
// more.
func (r *Run) Finish(result *record.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.see(result.Cache.Bytes)
	r.results[result.Cache.Bytes] = result
}

// Load takes how far a load is.
func (r *Run) Load(s load.Stage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.phase = phase{name: s.Phase, unit: "keys", done: s.Done, planned: s.Total}
	if s.Phase == load.PhaseSettle {
		r.phase.unit, r.phase.done = "compactions", uint64(s.Settling.CompactionsDone)
		r.settle(s.Settling)
		return
	}
	r.settling = nil
	if s.Done >= r.written[s.Phase].Done {
		r.written[s.Phase] = s
	}
}

// settle takes how far a tree has settled. What the library counts begins anew with
// each database that it opens.
func (r *Run) settle(s engine.SettleProgress) {
	if r.settling == nil || s.CompactionsDone < r.compactions.last {
		r.compactions.earlier += r.compactions.last
	}
	r.settling = &s
	r.compactions.last, r.compactions.known = s.CompactionsDone, true
}

// believed tells whether the figures of a cache size may be shown: until its
// checks are made, they are of a run under way.
func (r *Run) believed(cacheBytes int64) bool {
	result, finished := r.results[cacheBytes]
	return !finished || result.Checks.Hold()
}
