// Package judge decides what records show: whether a run is steady, whether the sides of a comparison differ, and
// whether reads rose by more than allowed against a baseline, which fails a build.
//
// The sides of a comparison are pairs of runs of the same Gets. Those of a gate are independent runs, made at different
// times and perhaps on different machines: reads per Get do not depend on the machine, so they can be compared where
// times cannot. The interval of a rise is Student's t over the windows of both runs (numbers/interval).
//
// A gate looks at several figures of several settings. A rise of one of n figures takes a confidence of 1 - 5%/n
// (Bonferroni), so that the rises of a gate are true together with 95% confidence, whatever their dependence. The
// answer "nothing rose" needs no correction, because each figure that matters must show it with 95% confidence.
package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"getio/numbers/interval"
	"getio/numbers/units"
	"getio/record"
)

// Rises returns a verdict for each setting, in the order of the baseline. If a setting was measured several
// times, the latest measurement counts. It is an error if a side has no measurements.
func Rises(base, side []*record.Result, maxRise float64) (lines []*record.Gate, err error) {
	base, side = latest(base), latest(side)
	switch {
	case len(base) == 0:
		return nil, errors.New("the baseline holds no records of measure or sweep: name another file with --baseline")
	case len(side) == 0:
		return nil, errors.New("the new files hold no records of measure or sweep: name one that does")
	}
	matches := matched(base, side)
	pairs, n := make([][]pair, len(matches)), 0
	for i, m := range matches {
		if m.apart == "" && m.failed() == "" {
			pairs[i] = pairsOf(m.base, m.side)
			n += len(pairs[i])
		}
	}
	confidence := interval.OfEach(n, interval.Usual)
	for i, m := range matches {
		lines = append(lines, m.judge(pairs[i], confidence, maxRise))
	}
	return lines, nil
}

// judge returns the verdict on a setting. That one of its figures rose takes the given confidence.
func (m *match) judge(pairs []pair, confidence, maxRise float64) *record.Gate {
	g := &record.Gate{
		Schema: record.GateSchema, Setting: m.setting.name(), MaxRise: maxRise, Base: sideOf(m.base), New: sideOf(m.side),
		Verdict: record.GateCannotTell, Reason: m.apart,
	}
	if failed := m.failed(); failed != "" {
		g.Verdict, g.Reason = record.VerdictUnbelievable, failed
		return g
	}
	if m.apart != "" {
		return g
	}
	g.Changed, g.Unjudged = changesOf(m.base, m.side), m.unjudged()
	for _, p := range pairs {
		g.Confidence = confidence
		g.Figures = append(g.Figures, p.judge(confidence, maxRise))
	}
	if g.Reason = m.unsteady(); g.Reason == "" {
		g.Verdict, g.Reason = verdict(g.Figures, maxRise)
	}
	return g
}

// verdict returns the verdict on a setting from those on its figures. If it cannot tell, reason says why.
func verdict(figures []record.GateFigure, maxRise float64) (verdict, reason string) {
	if len(figures) == 0 {
		return record.GateCannotTell, "too few Gets for an interval: measure more"
	}
	if slices.ContainsFunc(figures, func(f record.GateFigure) bool { return f.Verdict == record.GateRise }) {
		return record.GateRise, ""
	}
	var needed int64
	for _, f := range figures {
		switch {
		case f.Verdict != record.GateCannotTell || !matters(f, maxRise*figures[0].Base):
		case f.GetsNeeded == 0:
			return record.GateCannotTell, "the rise is too near the limit for any number of Gets: choose another --max-rise"
		default:
			needed = max(needed, f.GetsNeeded)
		}
	}
	if needed > 0 {
		return record.GateCannotTell, fmt.Sprintf("too few Gets: measure both with about --gets %s", strings.ReplaceAll(units.ExactCount(needed), ",", ""))
	}
	return record.GateNone, ""
}

// matters reports whether a setting passes only if this figure did not rise. I/Os and bytes per Get matter. A
// component matters if its reads may have risen by as much as all I/Os per Get may: for a rarely read component,
// its own share can never be decided.
func matters(f record.GateFigure, mostReads float64) bool {
	if f.Metric == record.MetricIOs || f.Metric == record.MetricBytes {
		return true
	}
	most := f.CI95[1]
	if !f.PerGet {
		most *= f.Base
	}
	return most > max(mostReads, leastReads)
}

func sideOf(r *record.Result) *record.GateSide {
	if r == nil {
		return nil
	}
	return &record.GateSide{Time: r.Time, Engine: r.Engine, Dataset: r.Dataset, Cache: r.Cache, Workload: r.Workload}
}

// ErrRise is wrapped by the error of a gate in which a figure rose, and ErrCannotTell by that of one without a
// verdict on some setting.
var (
	ErrRise       = errors.New("reads rose")
	ErrCannotTell = errors.New("cannot tell whether reads rose")
)

// Failure returns the error with which a gate fails, nil if it passes. Failed self-checks come before rises, and
// rises before settings without a verdict.
func Failure(lines []*record.Gate) error {
	with := func(verdict string) (settings string, any bool) {
		n := 0
		for _, g := range lines {
			if g.Verdict == verdict {
				n++
			}
		}
		return fmt.Sprintf("%d of %s", n, units.Plural(int64(len(lines)), "setting")), n > 0
	}
	if settings, any := with(record.VerdictUnbelievable); any {
		return fmt.Errorf("%w in %s: measure again, and report it if they fail again", record.ErrChecksFailed, settings)
	}
	if settings, any := with(record.GateRise); any {
		return fmt.Errorf("%w by more than %s in %s: find the cause, or renew the baseline if the rise is intended", ErrRise, units.Percent(lines[0].MaxRise), settings)
	}
	if settings, any := with(record.GateCannotTell); any {
		return fmt.Errorf("%w in %s: do what their lines say", ErrCannotTell, settings)
	}
	return nil
}
