package measure

import (
	"context"
	"time"

	"getio/record"
	"getio/workload"
)

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
	s.Gets, s.NoSplit, s.ExactSplit = 1, true, false
	if !a.Until.IsZero() { // a run warms up for warmupShare of its time
		share := a.trialShare() / warmupShare / float64(len(a.Sides))
		s.Until = time.Now().Add(time.Duration(share * float64(a.Until.Sub(start))))
		s.Gets = triedGets
	}
	w := s.begin(&Whole{}) // trials do not count as runs
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
