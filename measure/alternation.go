package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
)

// Alternation measures several configurations in rounds. In each round, every side is measured
// once, from an empty cache, with the same warm-up and the same Gets. Every second round goes
// through the sides in reverse, so that slow changes of the machine affect all sides alike.
type Alternation struct {
	// Sides are sweeps of the same Gets with one cache each; warm-up and Gets are those of the first. Their seed
	// is that of the first round; each further round uses the next seed.
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
}

// alternating is an alternation in progress.
type alternating struct {
	*Alternation
	agreed     agreement
	shared     sharedGets
	mostChosen []*int64 // of the sides, as in plan
}

// agreement is what the runs of all sides have in common, so that they make the same Gets.
type agreement struct {
	warmup workload.Warmup
	gets   int64 // measured
}

// side returns the sweep of a side with what the sides agreed on.
func (a *Alternation) side(side int, with agreement) Sweep {
	s := *a.Sides[side]
	s.Warmup, s.Gets = with.warmup, with.gets
	return s
}

// sharedGets are the Gets of one round. Sides that draw keys from one directory share them, so that each
// key is drawn once.
type sharedGets struct {
	keysource.Sequence
	seed uint64
}

// lend gives a side's run the Gets that the sides share, if they do.
func (a *alternating) lend(s *sweeping) (err error) {
	if !a.shares() {
		return nil
	}
	if a.shared.Sequence == nil || a.shared.seed != s.Keys.Seed {
		a.shared.close()
		a.shared.seed = s.Keys.Seed
		if a.shared.Sequence, err = s.sequence(s.Keys); err != nil {
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
		if s.Database.Manifest != nil || s.Keys.KeysFile != "" || s.Trace != nil || !database.SameDir(base.Database, s.Database) {
			return false
		}
	}
	return true
}

func (s *sharedGets) close() {
	if s.Sequence != nil {
		s.Sequence.Close()
		s.Sequence = nil
	}
}

// Run makes the runs and returns the results by side and round.
func (a *Alternation) Run(ctx context.Context) ([][]*record.Result, error) {
	return a.begin().run(ctx)
}

// begin begins the alternation.
func (a *Alternation) begin() *alternating {
	return &alternating{Alternation: a, mostChosen: make([]*int64, len(a.Sides))}
}

func (a *alternating) run(ctx context.Context) ([][]*record.Result, error) {
	defer a.shared.close()
	if err := a.agree(ctx); err != nil {
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
			r, err := a.measure(ctx, round, side)
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

// measure makes the run of a side in a round.
func (a *alternating) measure(ctx context.Context, round, side int) (*record.Result, error) {
	a.Begin(round, side)
	s := a.side(side, a.agreed)
	w := s.begin(1)
	w.sample, w.mostChosen = &a.Sides[side].sample, a.mostChosen[side]
	if round > 1 {
		w.sampled = &a.Sides[side].Keys
	}
	s.Keys.Seed += uint64(round - 1)
	s.Each = func(r *record.Result, measured bool) error { return a.Each(round, side, r, measured) }
	if err := a.lend(w); err != nil {
		return nil, err
	}
	defer w.close()
	results, err := w.run(ctx)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// agree replaces an automatic warm-up by the longest that one of the sides needs, so that all sides
// make the same Gets, and reduces the measured Gets to what time allows. If runs are already done, the
// numbers of their Gets are kept.
func (a *alternating) agree(ctx context.Context) (err error) {
	a.agreed = agreement{a.Sides[0].Warmup, a.Sides[0].Gets}
	if !a.agreed.warmup.Auto() {
		return nil
	}
	kept, known := a.kept()
	if !known {
		a.agreed, err = a.tryRuns(ctx)
		return err
	}
	a.agreed = kept
	if a.Until.IsZero() {
		return nil
	}
	for i := range a.Sides {
		s := a.side(i, kept)
		if r := s.done(s.Caches[0]); r != nil {
			a.mostChosen[i] = &r.Workload.WarmupChosenGets
		}
	}
	return nil
}

// kept returns the numbers of Gets of a first round that is already done. It does not count a finished alternation
// that time made short.
func (a *Alternation) kept() (_ agreement, known bool) {
	most := a.Sides[0].Gets
	for _, r := range a.Sides[0].Done {
		with := agreement{workload.AgreedWarmup(r.Workload.RandomWarmupGets()), most}
		if !a.Until.IsZero() {
			with.gets = min(r.Workload.Gets, most)
		}
		base := a.side(0, with)
		base.Done = []*record.Result{r}
		if base.done(base.Caches[0]) != nil && (with.gets == most || !a.made(with)) {
			return with, true
		}
	}
	return agreement{}, false
}

// made reports whether the results have LeastRounds rounds with the given numbers of Gets.
func (a *Alternation) made(with agreement) bool {
	for i := range a.Sides {
		s := a.side(i, with)
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

// tryRuns warms up on all sides and returns how many Gets the runs should make. If time is limited, it bounds each side's
// Gets of chosen keys to those that the trial makes.
func (a *alternating) tryRuns(ctx context.Context) (agreement, error) {
	var warmup, warmups int64 // Gets of one side's warm-up, and of all
	var measured time.Duration
	start, gets := time.Now(), a.Sides[0].Gets
	for side := range a.Sides {
		a.Begin(0, side)
		r, err := a.tryRun(ctx, side, start)
		if err != nil {
			return agreement{}, err
		}
		warmup, warmups = max(warmup, r.Workload.RandomWarmupGets()), warmups+r.Workload.WarmupGets
		measured += timePerGet(r)
		if !a.Until.IsZero() {
			a.mostChosen[side] = &r.Workload.WarmupChosenGets
		}
	}
	if !a.Until.IsZero() {
		gets = min(gets, a.affordable(time.Since(start), warmups, measured))
	}
	return agreement{workload.AgreedWarmup(warmup), gets}, nil
}

// triedGets is the number of measured Gets of a trial if time is limited.
const triedGets = 200

// trialShare is the share of its time that an alternation takes to try its runs. Each of LeastRounds rounds
// takes as long for its warm-up, which leaves the other half for measured Gets.
func (a *Alternation) trialShare() float64 { return 0.5 / float64(1+max(a.LeastRounds, 1)) }

// tryRun makes a side's warm-up and few measured Gets.
func (a *alternating) tryRun(ctx context.Context, side int, start time.Time) (*record.Result, error) {
	s := *a.Sides[side]
	s.Gets, s.NoSplit, s.ExactSplit, s.Whole = 1, true, false, &Whole{} // trials do not count as runs
	if !a.Until.IsZero() {                                              // a run warms up for warmupShare of its time
		share := a.trialShare() / warmupShare / float64(len(a.Sides))
		s.Until = time.Now().Add(time.Duration(share * float64(a.Until.Sub(start))))
		s.Gets = triedGets
	}
	w := s.begin(1)
	if err := a.lend(w); err != nil {
		return nil, err
	}
	defer w.close()
	return w.measure(ctx, s.Caches[0], s.Until)
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
	if o := a.Sides[0]; o.ExactSplit {
		each += slowerUncached * measured * time.Duration(max(o.Workers, 1))
	}
	round := time.Until(a.Until)/time.Duration(max(a.LeastRounds, 1)) - trial
	return max(int64(round/max(each, 1)), windowFloor)
}
