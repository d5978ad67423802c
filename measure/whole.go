package measure

import (
	"getio/engine/lsm"
	"getio/numbers/steady"
)

// Whole adds up the stages of several runs, so that one progress covers all of them. Each run is the same share of the
// whole. The zero Whole knows of no runs.
type Whole struct {
	runs, finished int
	phases         int64 // Gets of finished phases of the run under way, by their effort
	now            Stage
	made           float64 // share of the run under way
}

// NewWhole returns the progress of a number of runs.
func NewWhole(runs int) *Whole { return &Whole{runs: runs} }

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

// mostUnfinished is the largest share of a run that is done before it ends: it may make more Gets than expected.
const mostUnfinished = 0.99

// effort returns a stage with the number of cached Gets that take as long as its Gets.
func (p *plan) effort(s Stage) Stage {
	if s.Phase == PhaseSplit {
		s.Done, s.Total = s.Done*p.uncachedEffort(), s.Total*p.uncachedEffort()
	}
	return s
}

// expectedEffort returns about how many cached Gets take as long as a run at least. sampled: its split needs no Gets.
func (p *plan) expectedEffort(s *lsm.Shape, cacheBytes int64, sampled bool) int64 {
	effort, split := p.leastGets(s, cacheBytes), p.commonSample(nil).n
	if !p.ExactSplit {
		split = min(split, sampleGets)
	}
	if p.NoSplit || sampled && !p.ExactSplit {
		return effort
	}
	return effort + split*p.uncachedEffort()
}

// uncachedEffort is about how many cached Gets take as long as one that is repeated without a cache. Those are made one at
// a time.
func (p *plan) uncachedEffort() int64 { return slowerUncached * int64(Concurrency(p.Workers)) }

// Add adds a stage of a run that is expected to take as long as so many Gets, and returns which share of the whole is
// done: 0 if that is unknown. The share never falls. Of a run that makes more Gets than expected, it may stay for a while.
func (w *Whole) Add(s Stage, expected int64) (share float64) {
	if s.Phase != w.now.Phase || s.Part != w.now.Part || s.Done < w.now.Done {
		w.phases += w.now.Done
	}
	w.now = s
	own := w.phases + s.Done
	w.made = min(max(w.made, float64(own)/float64(max(expected, own+max(s.Total-s.Done, 0), 1))), mostUnfinished)
	if w.runs == 0 {
		return 0
	}
	return min((float64(w.finished)+w.made)/float64(w.runs), 1)
}

// Finish ends a run, or passes over one that is not made.
func (w *Whole) Finish() {
	w.finished++
	w.phases, w.now, w.made = 0, Stage{}, 0
}
