package measure

import (
	"context"
	"fmt"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/numbers/steady"
	"getio/record"
)

// A run without a given number of Gets is measured in windows. windowsPerMin of them have the Gets that
// a window of the steady rule needs, and windowsPerRound, or fewer, as many as there are index blocks.
const (
	windowsPerMin   = 4
	windowsPerRound = 4
)

// mostMeasured returns the most measured Gets of such a run, with those that become part of the warm-up:
// in a large tree, enough to measure again after a drift.
func (o Options) mostMeasured(s *lsm.Shape) int64 { return 2 * o.defaultGets(s) }

// windowGets returns the number of Gets in a window of such a run.
func (o Options) windowGets(s *lsm.Shape) int64 {
	return max(o.minGets(s)/windowsPerMin, s.IndexBlocks()/windowsPerRound, 1)
}

// sequential reports whether the number of measured Gets depends on what they show.
func (o Options) sequential() bool {
	return o.Gets == 0 && o.Operation.Kind.IsGet() && o.Rate == 0 && o.MoreRuns == 0 && o.Observe == nil
}

// complete sets the number of Gets, unless it depends on what they show.
func (o Options) complete(s *lsm.Shape) Options {
	if o.Gets == 0 && !o.sequential() {
		o.Gets = o.defaultGets(s)
	}
	return o
}

// measureUntilKnown makes measured Gets until they show whether the run is steady, most of them are made,
// or time is up. Gets that show a drift become part of the warm-up, and others are measured.
func (r *run) measureUntilKnown(ctx context.Context, most int64) ([]steady.Window, error) {
	for {
		r.begin(r.measuredRecorder())
		windows, err := r.measureWindows(ctx, most)
		if err != nil {
			return nil, err
		}
		r.opts.Gets = steady.Total(windows).Gets
		most -= r.opts.Gets
		if r.ended != record.EndedByVerdict || r.verdict(windows) == steady.IsSteady || most < steady.FirstCheck*windows[0].Gets {
			return windows, nil
		}
		r.warmup = r.next
	}
}

// measureWindows measures windows until the verdict is known or a bound is reached.
func (r *run) measureWindows(ctx context.Context, most int64) (windows []steady.Window, err error) {
	size := r.windowGets
	last := max(int(most/size), steady.FirstCheck)
	for check := steady.FirstCheck; ; check = min(steady.NextCheck(check), last) {
		for len(windows) < check {
			start := time.Now()
			w, err := r.window(ctx, size, Stage{Phase: PhaseMeasure, Done: int64(len(windows)) * size, Total: size * int64(check)})
			if err != nil {
				return nil, err
			}
			windows = append(windows, w)
			if len(windows) > 1 && r.isLast(int64(len(windows))*size, size, time.Since(start)) {
				r.ended = record.EndedByTime
				return windows, nil
			}
		}
		switch {
		case r.verdict(windows) != steady.CannotTell:
			r.ended = record.EndedByVerdict
			return windows, nil
		case check == last:
			r.ended = record.EndedByLimit
			return windows, nil
		}
	}
}

// isLast reports whether the window just measured is the last: another one of the same size and duration, and then
// repeating all measured Gets, would end too late.
func (r *run) isLast(measured, size int64, took time.Duration) bool {
	return passes(r.until, took+time.Duration(measured+size)*r.repeated)
}

func (r *run) verdict(windows []steady.Window) steady.Verdict {
	if t, ok := r.trend(windows); ok && len(windows) >= steady.FirstCheck {
		return t.Verdict()
	}
	return steady.CannotTell
}

// trend returns what a line through the windows makes of the mean.
func (r *run) trend(windows []steady.Window) (steady.Trend, bool) {
	return steady.TrendOf(windows, r.driftGets(windows))
}

// driftGets returns the Gets over which the line is extended: from the middle of the measured Gets to their end where the
// state of the cache is steady soon after it was filled, else as many as were made so far.
func (r *run) driftGets(windows []steady.Window) float64 {
	if r.filled {
		return float64(steady.Total(windows).Gets) / 2
	}
	return float64(r.made())
}

// passes reports whether it will be later than until in the given time. The zero Time never comes.
func passes(until time.Time, in time.Duration) bool {
	return !until.IsZero() && time.Now().Add(in).After(until)
}

// The share of its time that a run may warm up, and the share that its measured Gets leave to the rest.
const (
	warmupShare = 0.5
	spareShare  = 0.05
)

// allot divides the time that the run may take.
func (r *run) allot(until time.Time) {
	if until.IsZero() {
		return
	}
	left := time.Until(until)
	r.warmUntil = time.Now().Add(time.Duration(warmupShare * float64(left)))
	r.until = until.Add(-time.Duration(spareShare * float64(left)))
}

// trialRepetitions is the number of Gets that allotRepetition makes.
const trialRepetitions = 2_000

// allotRepetition estimates repeated by a trial if time is limited and all measured Gets are to be repeated.
func (r *run) allotRepetition(ctx context.Context, s engine.Store) error {
	if r.until.IsZero() || !r.opts.ExactSplit || !r.opts.sequential() {
		return nil
	}
	trial := *r
	trial.opts.Progress = nil
	start := time.Now()
	_, _, err := trial.uncached(ctx, s, r.gets, 0, trialRepetitions)
	r.repeated = time.Since(start) / trialRepetitions
	return err
}

// describeEnd says what ended a run whose length was not given.
func (r *run) describeEnd(result *record.Result, windows []steady.Window) {
	io := &result.IOsPerGet
	result.Workload.GetsRule, io.EndedBy = record.GetsAuto, r.ended
	io.Steady, io.Drift = nil, nil
	if t, ok := r.trend(windows); ok && t.Mean > 0 {
		if lo, hi, ok := t.Confidence(windows); ok {
			io.CI95 = &[2]float64{lo, hi}
		}
		io.Drift, io.DriftCI95 = new(t.Change/t.Mean), &[2]float64{t.Lo / t.Mean, t.Hi / t.Mean}
		io.DriftGets = r.driftGets(windows)
	}
	if v := r.verdict(windows); v != steady.CannotTell {
		io.Steady = new(v == steady.IsSteady)
		return
	}
	why := fmt.Sprintf("%d Gets do not tell whether the run is steady: choose more with --gets", r.opts.Gets)
	if r.ended == record.EndedByTime {
		why = fmt.Sprintf("time was up after %d Gets, which do not tell whether the run is steady: choose a longer --time", r.opts.Gets)
	}
	result.Warnings = append(result.Warnings, why)
}
