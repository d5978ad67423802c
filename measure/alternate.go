package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/measure/database"
	"getio/measure/workload"
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

// sharedGets are the Gets of one round. Sides that draw keys from one directory share them, so that each
// key is drawn once.
type sharedGets struct {
	workload.Sequence
	seed uint64
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

// lend gives a side's sweep the Gets that the sides share, if they do.
func (a *Alternation) lend(s *Sweep) (err error) {
	if !a.shares() {
		return nil
	}
	if a.shared.Sequence == nil || a.shared.seed != s.Keys.Seed {
		a.closeShared()
		a.shared.seed = s.Keys.Seed
		if a.shared.Sequence, err = s.Database.Gets(s.Keys); err != nil {
			return err
		}
	}
	s.gets, s.lent = a.shared.Sequence, true
	return nil
}

// shares reports whether all sides draw the same keys from one directory.
func (a *Alternation) shares() bool {
	base := a.Sides[0]
	for _, s := range a.Sides {
		if s.Database.Manifest != nil || s.Keys.KeysFile != "" || s.Keys.Trace != nil || !database.SameDir(base.Database, s.Database) {
			return false
		}
	}
	return true
}

func (a *Alternation) closeShared() {
	if a.shared.Sequence != nil {
		a.shared.Close()
		a.shared.Sequence = nil
	}
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
			side.Options.mostChosen = r.Workload.WarmupChosenGets
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

// tryRuns warms up on all sides and returns how many Gets the runs should make.
func (a *Alternation) tryRuns(ctx context.Context) (warmup, gets int64, err error) {
	var warmups int64 // Gets of all sides' warm-ups
	var measured time.Duration
	start, gets := time.Now(), a.Sides[0].Options.Gets
	for side := range a.Sides {
		a.Begin(0, side)
		r, err := a.tryRun(ctx, side, start)
		if err != nil {
			return 0, 0, err
		}
		warmup, warmups = max(warmup, r.Workload.RandomWarmupGets()), warmups+r.Workload.WarmupGets
		measured += timePerGet(r)
	}
	if a.Until.IsZero() {
		return warmup, gets, nil
	}
	return warmup, min(gets, a.affordable(time.Since(start), warmups, measured)), nil
}

// triedGets is the number of measured Gets of a trial if time is limited.
const triedGets = 200

// trialShare is the share of its time that an alternation takes to try its runs. Each of LeastRounds rounds
// takes as long for its warm-up, which leaves the other half for measured Gets.
func (a *Alternation) trialShare() float64 { return 0.5 / float64(1+max(a.LeastRounds, 1)) }

// tryRun makes a side's warm-up and few measured Gets. If time is limited, it bounds the side's Gets of chosen keys to
// those that the trial makes.
func (a *Alternation) tryRun(ctx context.Context, side int, start time.Time) (*record.Result, error) {
	s := a.Sides[side]
	probe := *s
	probe.Options.Gets, probe.Options.NoSplit, probe.Options.ExactSplit = 1, true, false
	if !a.Until.IsZero() { // a run warms up for warmupShare of its time
		share := a.trialShare() / warmupShare / float64(len(a.Sides))
		probe.Until = time.Now().Add(time.Duration(share * float64(a.Until.Sub(start))))
		probe.Options.Gets = triedGets
	}
	if err := a.lend(&probe); err != nil {
		return nil, err
	}
	r, err := probe.One(ctx, s.Caches[0])
	if err == nil && !a.Until.IsZero() {
		s.Options.mostChosen = r.Workload.WarmupChosenGets
	}
	return r, err
}

// timePerGet returns the time from one measured Get to the next.
func timePerGet(r *record.Result) time.Duration {
	perSecond := r.GetsPerSecond
	if m := r.Device.Modelled; m != nil {
		perSecond = m.GetsPerSecond
	}
	return time.Duration(float64(time.Second) / max(perSecond, 1))
}

// affordable returns how many measured Gets a run can make. The trial took the given time for the sides' warm-ups.
// measured is the duration of a measured Get, added up over the sides.
func (a *Alternation) affordable(trial time.Duration, warmups int64, measured time.Duration) int64 {
	warmup := trial / time.Duration(max(warmups, 1)) // of one Get, with the drawing of its key
	each := max(measured, warmup*time.Duration(len(a.Sides)))
	if o := a.Sides[0].Options; o.ExactSplit {
		each += slowerUncached * measured * time.Duration(max(o.Workers, 1))
	}
	round := time.Until(a.Until)/time.Duration(max(a.LeastRounds, 1)) - trial
	return max(int64(round/max(each, 1)), windowFloor)
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
