package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/record"
	"getio/workload"
)

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
	return a.rounds(ctx)
}

func (a *alternating) rounds(ctx context.Context) ([][]*record.Result, error) {
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
	w := s.begin(s.wholeOf(1))
	w.sample, w.mostChosen = &a.Samples.of[side], a.mostChosen[side]
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
