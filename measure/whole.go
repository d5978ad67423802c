package measure

import (
	"getio/engine/lsm"
	"getio/numbers/steady"
)

// Whole adds up the stages of several runs, so that one progress covers all of them.
type Whole struct {
	runs, finished int
	perRun         int64 // Gets that a run is expected to make
	earlier        int64 // Gets of finished runs
	phases         int64 // of finished phases of the run under way
	now            Stage
}

// NewWhole returns the progress of a number of runs on a tree of the given shape. cacheBytes is the cache of
// the first run.
func NewWhole(runs int, s *lsm.Shape, opts Options, cacheBytes int64) *Whole {
	return &Whole{runs: runs, perRun: newPlan(s, opts).leastGets(s, cacheBytes)}
}

// leastGets returns about the fewest Gets that a run with a cache makes.
func (p *plan) leastGets(s *lsm.Shape, cacheBytes int64) int64 {
	warmup, gets := p.Warmup.Gets(p.TotalKeys), p.ends.gets
	if p.Warmup.Auto() {
		t := s.Total()
		warmup = fillGets(t, cacheBytes) + 2*p.minGets + 2*indexBlocks(t)
	}
	if !p.ends.given() {
		gets = steady.FirstCheck * p.ends.window
	}
	return warmup + gets
}

// mostGets returns about the most Gets that a run with a cache makes.
func (p *plan) mostGets(s *lsm.Shape, cacheBytes int64) int64 {
	most := p.leastGets(s, cacheBytes)
	if p.Warmup.Auto() && !p.uniform {
		most += maxWarmupWindows / 10 * p.minGets
	}
	if !p.ends.given() {
		most += p.ends.most
	}
	return most
}

// Add adds a stage and returns how many Gets of about how many are made.
func (w *Whole) Add(s Stage) (done, total int64) {
	if s.Phase != w.now.Phase || s.Part != w.now.Part || s.Done < w.now.Done {
		w.phases += w.now.Done
	}
	w.now = s
	own := w.phases + s.Done
	expected := max(w.perRun, own+max(s.Total-s.Done, 0))
	return w.earlier + own, w.earlier + expected + int64(max(w.runs-w.finished-1, 0))*w.perRun
}

// Finish ends a run. A run that was not made counts as none.
func (w *Whole) Finish() {
	w.finished++
	if own := w.phases + w.now.Done; own > 0 {
		w.earlier, w.perRun = w.earlier+own, own
	}
	w.phases, w.now = 0, Stage{}
}
