package measure

import (
	"context"
	"fmt"
	"time"

	"getio/engine"
	"getio/numbers/steady"
	"getio/record"
)

// measureUntilKnown makes measured Gets until they show whether the run is steady, most of them are made,
// or time is up. Gets that show a drift become part of the warm-up, and others are measured.
func (r *run) measureUntilKnown(ctx context.Context) (m measured, err error) {
	for most := r.plan.ends.most; ; most -= r.phase.gets {
		if m.windows != nil && most < steady.FirstCheck*r.plan.ends.window {
			return m, nil
		}
		m.warmup = r.next
		r.begin(r.measuredRecorder())
		if m.windows, m.ended, err = r.measureWindows(ctx, most); err != nil {
			return m, err
		}
		if m.ended != record.EndedByVerdict || r.verdict(m.windows) == steady.IsSteady {
			return m, nil
		}
	}
}

// measureWindows measures windows until the verdict is known or a bound is reached.
func (r *run) measureWindows(ctx context.Context, most int64) (windows []steady.Window, ended string, err error) {
	size := r.plan.ends.window
	last := max(int(most/size), steady.FirstCheck)
	for check := steady.FirstCheck; ; check = min(steady.NextCheck(check), last) {
		for len(windows) < check {
			start := time.Now()
			w, err := r.window(ctx, size, Stage{Phase: PhaseMeasure, Done: int64(len(windows)) * size, Total: size * int64(check)})
			if err != nil {
				return nil, "", err
			}
			windows = append(windows, w)
			if len(windows) > 1 && r.isLast(int64(len(windows))*size, size, time.Since(start)) {
				return windows, record.EndedByTime, nil
			}
		}
		switch {
		case r.verdict(windows) != steady.CannotTell:
			return windows, record.EndedByVerdict, nil
		case check == last:
			return windows, record.EndedByLimit, nil
		}
	}
}

// isLast reports whether the window just measured is the last: another one of the same size and duration, and then
// repeating all measured Gets, would end too late.
func (r *run) isLast(measured, size int64, took time.Duration) bool {
	return passes(r.bounds.measured, took+time.Duration(measured+size)*r.bounds.repeated)
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

// trialRepetitions is the number of Gets that allot makes.
const trialRepetitions = 2_000

// allot divides the time that the run may take. If time is limited and all measured Gets are to be repeated, it makes a
// few to see how long that takes.
func (r *run) allot(ctx context.Context, s engine.Store) error {
	r.bounds = boundsUntil(r.plan.Until)
	if r.plan.Until.IsZero() || !r.plan.ExactSplit || r.plan.ends.given() {
		return nil
	}
	start := time.Now()
	_, _, err := r.uncached(ctx, s, r.gets, 0, trialRepetitions, nil)
	r.bounds.repeated = time.Since(start) / trialRepetitions
	return err
}

// describeEnd says what ended a run whose length was not given.
func (r *run) describeEnd(result *record.Result, m measured) {
	io, windows := &result.IOsPerGet, m.windows
	result.Workload.GetsRule, io.EndedBy = record.GetsAuto, m.ended
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
	why := fmt.Sprintf("%d Gets do not tell whether the run is steady: choose more with --gets", r.phase.gets)
	if m.ended == record.EndedByTime {
		why = fmt.Sprintf("time was up after %d Gets, which do not tell whether the run is steady: choose a longer --time", r.phase.gets)
	}
	result.Warnings = append(result.Warnings, why)
}

// measured describes the Gets of the last phase, whose figures are reported.
type measured struct {
	windows []steady.Window
	warmup  int64  // Gets before them, apart from those of chosen keys
	ended   string // what ended them, if their number was not given
}

// measureAll makes the measured Gets, as many as were asked for or their windows require.
func (r *run) measureAll(ctx context.Context) (m measured, err error) {
	if !r.plan.ends.given() {
		return r.measureUntilKnown(ctx)
	}
	m.warmup = r.next
	m.windows, err = r.measure(ctx, Stage{Phase: PhaseMeasure}, r.measuredRecorder())
	return m, err
}

// measure makes the given number of measured Gets, as one phase in windows.
func (r *run) measure(ctx context.Context, stage Stage, rec *recorder) (windows []steady.Window, err error) {
	gets := r.plan.ends.gets
	count := min(measuredWindows, max(1, gets/windowFloor))
	r.begin(rec)
	stage.Total = gets
	for i := range count {
		stage.Done = i * gets / count
		w, err := r.window(ctx, (i+1)*gets/count-stage.Done, stage)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	return windows, nil
}
