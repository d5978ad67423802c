// Package metrics exports a running measurement to Prometheus: its counts, its progress, and the
// figures of finished cache sizes. Run is updated between windows and batches, while no Get is in
// progress. Serve answers scrapes from the last update, so a scrape does not slow down any Get.
// docs/metrics.md lists every metric.
package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

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
	if !slices.Contains(r.sizes, cacheBytes) {
		r.sizes = append(r.sizes, cacheBytes)
	}
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

// indexAndData names the component of accesses that engines count as one sum.
const indexAndData = "index_and_data"

// Describe implements prometheus.Collector.
func (*Run) Describe(out chan<- *prometheus.Desc) { runFamilies.describe(out) }

// Collect implements prometheus.Collector. All values are of the same moment.
func (r *Run) Collect(out chan<- prometheus.Metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collectRun(out)
	for _, of := range slices.SortedFunc(maps.Keys(r.gets), func(a, b getsOf) int {
		return cmp.Or(cmp.Compare(a.cacheBytes, b.cacheBytes), cmp.Compare(a.phase, b.phase))
	}) {
		r.collectGets(out, of, r.gets[of])
	}
	for _, bytes := range slices.Sorted(maps.Keys(r.results)) {
		collectResult(out, r.results[bytes])
	}
	r.collectWritten(out)
}

func (r *Run) collectRun(out chan<- prometheus.Metric) {
	caches := []string{""}
	if len(r.sizes) > 0 {
		caches = nil
	}
	for _, bytes := range r.sizes {
		caches = append(caches, label(bytes))
	}
	for _, cache := range caches {
		out <- runInfo.series(1, r.engine.Name, r.engine.Version, r.engine.Preset, r.dataset.Path, r.dataset.Kind, cache)
	}
	if r.planned > 0 {
		out <- sizesPlanned.series(float64(r.planned))
		out <- sizesFinished.series(float64(len(r.results)))
	}
	if p := r.phase; p.name != "" {
		out <- runPhase.series(1, p.name)
		out <- phaseDone.series(float64(p.done), p.unit)
		if p.planned > 0 {
			out <- phasePlanned.series(float64(p.planned), p.unit)
		}
	}
}

func (r *Run) collectGets(out chan<- prometheus.Metric, of getsOf, g *gets) {
	cache := label(of.cacheBytes)
	sum := g.earlier.add(g.part)
	out <- getsMade.series(float64(sum.gets), cache, of.phase)
	out <- getsTime.series(sum.seconds, cache, of.phase)
	for component, n := range asCounted(sum.accesses) {
		out <- accesses.series(float64(n), cache, of.phase, component)
	}
	for _, c := range sum.reads.Components() {
		out <- reads.series(float64(sum.reads[c]), cache, of.phase, c.String())
		out <- readBytes.series(float64(sum.bytes[c]), cache, of.phase, c.String())
	}
	// Gets of a split use no cache, so their figures do not describe this cache.
	if of.phase != measure.PhaseSplit && r.believed(of.cacheBytes) && g.part.Done > 0 {
		collectFigures(out, cache, g.part)
	}
}

// asCounted returns accesses as engines count them, with index and data as one sum: splitting it
// later cannot make a counter fall.
func asCounted(a readpath.Accesses) map[string]int64 {
	n := a.Count
	if a.FiltersOnly {
		return map[string]int64{readpath.Filter.String(): n[readpath.Filter]}
	}
	counted := map[string]int64{
		readpath.Filter.String():    n[readpath.Filter],
		readpath.TopIndex.String():  n[readpath.TopIndex],
		readpath.TableOpen.String(): n[readpath.TableOpen],
		indexAndData:                a.Rest(),
	}
	if n[readpath.Blob] > 0 {
		counted[readpath.Blob.String()] = n[readpath.Blob]
	}
	return counted
}

// collectFigures exports the figures of a phase, or of its current part.
func collectFigures(out chan<- prometheus.Metric, cache string, s measure.Stage) {
	out <- iosPerGet.series(float64(s.Counts.Reads.Count.Sum())/float64(s.Done), cache, s.Phase)
	out <- windowIOsPerGet.series(s.IOsPerGet, cache, s.Phase)
	if seconds := s.Took.Seconds(); seconds > 0 {
		out <- getsPerSecond.series(float64(s.Done)/seconds, cache, s.Phase)
	}
	for name, c := range record.Components(s.Counts.Reads, s.Counts.Accesses) {
		if c.HitRate != nil {
			out <- hitRatio.series(*c.HitRate, cache, s.Phase, name)
		}
	}
}

// collectResult exports a result, without its figures if a check failed.
func collectResult(out chan<- prometheus.Metric, r *record.Result) {
	cache := label(r.Cache.Bytes)
	out <- checksFailed.series(float64(len(r.Checks.Failed())), cache)
	if !r.Checks.Hold() {
		return
	}
	out <- resultIOsPerGet.series(r.IOsPerGet.Mean, cache)
	if ci := r.IOsPerGet.CI95; ci != nil {
		out <- resultBound.series(ci[0], cache, "low")
		out <- resultBound.series(ci[1], cache, "high")
	}
	if steady := r.IOsPerGet.Steady; steady != nil {
		value := 0.0
		if *steady {
			value = 1
		}
		out <- resultSteady.series(value, cache)
	}
	if n := len(r.Continued); n > 0 {
		out <- resultContinued.series(r.Continued[n-1].IOsPerGet.Mean, cache)
	}
	for name, c := range r.Components {
		if c.Accesses != nil {
			out <- resultAccesses.series(float64(*c.Accesses), cache, name)
		}
		if c.HitRate != nil {
			out <- resultHitRatio.series(*c.HitRate, cache, name)
		}
	}
}

func (r *Run) collectWritten(out chan<- prometheus.Metric) {
	for phase, s := range r.written {
		out <- keysWritten.series(float64(s.Done), phase)
		out <- bytesWritten.series(float64(s.Bytes), phase)
	}
	if r.compactions.known {
		out <- compactionsDone.series(float64(r.compactions.earlier + r.compactions.last))
	}
	if s := r.settling; s != nil {
		out <- compactionsRunning.series(float64(s.Compactions))
		out <- compactionDebt.series(float64(s.DebtBytes))
	}
}

// label returns a number of bytes as the value of a label.
func label(bytes int64) string { return strconv.FormatInt(bytes, 10) }
