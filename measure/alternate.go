package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/numbers/steady"
	"getio/record"
)

// Alternation measures several configurations in rounds. In each round, every side is measured
// once, from an empty cache, with the same warm-up and the same Gets. Every second round goes
// through the sides in reverse, so that slow changes of the machine affect all sides alike.
type Alternation struct {
	// Sides are sweeps of the same Gets with one cache each. Their seed is that of the first
	// round; each further round uses the next seed.
	Sides  []*Sweep
	Rounds int
	// First is the number of the round to begin with; 0 is 1. The rounds before it are left out.
	First int
	// Until is when the last round should end; the zero Time does not bound the rounds. At least
	// LeastRounds are made, and if time is too short for them, their runs make fewer Gets.
	Until       time.Time
	LeastRounds int
	// Begin is called before each run. Rounds count from 1; round 0 determines the warm-up if
	// the rule is auto.
	Begin func(round, side int)
	// Each is called with each result. measured is false if it was taken from Sweep.Done.
	Each func(round, side int, r *record.Result, measured bool) error

	shared sharedGets
}

// Run makes the runs and returns the results by side and round.
func (a *Alternation) Run(ctx context.Context) ([][]*record.Result, error) {
	defer a.closeShared()
	if err := a.fixRuns(ctx); err != nil {
		return nil, err
	}
	results := make([][]*record.Result, len(a.Sides))
	for round := max(a.First, 1); round <= a.Rounds; round++ {
		start := time.Now()
		for i := range a.Sides {
			side := i
			if round%2 == 0 {
				side = len(a.Sides) - 1 - i
			}
			r, err := a.run(ctx, round, side)
			if err != nil {
				return results, err
			}
			results[side] = append(results[side], r)
		}
		if round >= a.LeastRounds && passes(a.Until, time.Since(start)) {
			break
		}
	}
	return results, nil
}

func (a *Alternation) run(ctx context.Context, round, side int) (*record.Result, error) {
	a.Begin(round, side)
	sweep := *a.Sides[side]
	if round > 1 {
		sweep.sampled = &a.Sides[side].Keys
	}
	sweep.Keys.Seed += uint64(round - 1)
	if err := a.lend(&sweep); err != nil {
		return nil, err
	}
	sweep.Each = func(r *record.Result, measured bool) error { return a.Each(round, side, r, measured) }
	results, err := sweep.Run(ctx)
	a.Sides[side].sample = sweep.sample
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// fixRuns replaces an automatic warm-up by the longest that one of the sides needs, so that all sides
// make the same Gets, and reduces the measured Gets to what time allows. If runs are already done, the
// numbers of their Gets are kept.
func (a *Alternation) fixRuns(ctx context.Context) error {
	if !a.Sides[0].Options.Warmup.auto {
		return nil
	}
	warmup, gets, known := a.kept()
	if !known {
		var err error
		if warmup, gets, err = a.tryRuns(ctx); err != nil {
			return err
		}
	}
	for _, side := range a.Sides {
		side.Options.Warmup, side.Options.Gets = agreed(warmup), gets
		if a.Until.IsZero() || !known {
			continue
		}
		if r := side.done(side.Caches[0]); r != nil {
			side.Options.mostChosen = &r.Workload.WarmupChosenGets
		}
	}
	return nil
}

// kept returns the numbers of Gets of a first round that is already done. It does not count a finished alternation
// that time made short.
func (a *Alternation) kept() (warmup, gets int64, known bool) {
	base := *a.Sides[0]
	done, most := base.Done, base.Options.Gets
	for _, r := range done {
		base.Done, base.Options.Warmup = []*record.Result{r}, agreed(r.Workload.RandomWarmupGets())
		if !a.Until.IsZero() {
			base.Options.Gets = min(r.Workload.Gets, most)
		}
		if base.done(base.Caches[0]) != nil && (base.Options.Gets == most || !a.made(base.Options)) {
			return r.Workload.RandomWarmupGets(), base.Options.Gets, true
		}
	}
	return 0, 0, false
}

// made reports whether the results have LeastRounds rounds with the given options.
func (a *Alternation) made(o Options) bool {
	for _, side := range a.Sides {
		s := *side
		s.Options = o
		for range max(a.LeastRounds, 1) {
			if s.done(s.Caches[0]) == nil {
				return false
			}
			s.Keys.Seed++
		}
	}
	return true
}

// leastRoundGets is the minimum default number of Gets of a round.
const leastRoundGets = 100_000

// RoundGets returns the default number of Gets of each run of an alternation.
func RoundGets(stores ...engine.Store) int64 {
	return max(leastRoundGets, VerdictGets(stores...))
}

// VerdictGets returns the minimum number of Gets with which the steady rule can judge a run on
// each of the stores.
func VerdictGets(stores ...engine.Store) (gets int64) {
	for _, s := range stores {
		gets = max(gets, steady.Windows*s.Shape().MinWindowGets())
	}
	return gets
}
