package metrics

import (
	"sync"

	"getio/engine"
	"getio/engine/readpath"
	"getio/load"
	"getio/measure"
	"getio/record"
)

// Run holds the state of a run in progress. It is safe for concurrent use.
//
// Invariant: no exported counter decreases.
type Run struct {
	mu       sync.Mutex
	engine   record.Engine
	dataset  record.Dataset
	phase    phase
	planned  int     // cache sizes
	sizes    []int64 // of caches in bytes, in the order in which they were measured
	gets     map[getsOf]*gets
	results  map[int64]*record.Result
	written  map[string]load.Stage  // last stage, by phase
	settling *engine.SettleProgress // nil unless a tree settles now
	// compactions since each database was opened: those of earlier databases, and of the last.
	compactions struct {
		known         bool
		earlier, last int64
	}
}

// phase is the current phase.
type phase struct {
	name, unit    string
	done, planned uint64 // planned is 0 if unknown
}

// getsOf identifies Gets that are counted together.
type getsOf struct {
	cacheBytes int64
	phase      string
}

// gets holds the Gets of one phase with one cache.
type gets struct {
	earlier counted       // finished parts of the phase
	part    measure.Stage // the current part
}

// counted holds the amounts that a part of a phase adds to the counters.
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

// NewRun returns an empty Run.
func NewRun() *Run {
	return &Run{gets: map[getsOf]*gets{}, results: map[int64]*record.Result{}, written: map[string]load.Stage{}}
}

// Identify sets name, version and preset of the engine, and path and kind of the dataset.
func (r *Run) Identify(e record.Engine, d record.Dataset) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engine, r.dataset = e, d
}

// Plan sets how many cache sizes are measured.
func (r *Run) Plan(sizes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = sizes
}

// Measure updates the progress of a measurement.
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
	if s.Part != g.part.Part || s.Done < g.part.Done { // the phase is repeated
		g.earlier = g.earlier.add(g.part)
	}
	g.part = s
}

// see adds a cache size if it is new.
func (r *Run) see(cacheBytes int64) {
	for _, seen := range r.sizes {
		if seen == cacheBytes {
			return
		}
	}
	r.sizes = append(r.sizes, cacheBytes)
}

// Finish adds the result of a cache size. The caller must not change it afterwards.
func (r *Run) Finish(result *record.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.see(result.Cache.Bytes)
	r.results[result.Cache.Bytes] = result
}

// Load updates the progress of a load.
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

// settle updates the progress of settling. The library's counts start at 0 with each database
// that it opens.
func (r *Run) settle(s engine.SettleProgress) {
	if r.settling == nil || s.CompactionsDone < r.compactions.last {
		r.compactions.earlier += r.compactions.last
	}
	r.settling = &s
	r.compactions.last, r.compactions.known = s.CompactionsDone, true
}

// believed reports whether the figures of a cache size may be exported: its checks hold or have
// not been made yet.
func (r *Run) believed(cacheBytes int64) bool {
	result, finished := r.results[cacheBytes]
	return !finished || result.Checks.Hold()
}
