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
