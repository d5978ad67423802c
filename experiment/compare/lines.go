package compare

import (
	"time"

	"gonum.org/v1/gonum/stat"

	"getio/record"
	"getio/tree/readpath"
)

// Side is a configuration and its runs with one cache, by round.
type Side struct {
	Label string
	Runs  []*record.Result
}

// metric is a figure of a run.
type metric struct {
	name string
	of   func(*record.Result) float64
}

// metrics returns the figures that are compared: I/Os per Get, the reads per Get of each
// component, which add up to them, bytes and processor time.
func metrics() []metric {
	all := []metric{{record.MetricIOs, func(r *record.Result) float64 { return r.IOsPerGet.Mean }}}
	for _, c := range readpath.Components() {
		all = append(all, metric{c.String(), func(r *record.Result) float64 {
			return float64(r.Components[c.String()].Misses) / float64(r.Workload.Gets)
		}})
	}
	return append(all,
		metric{record.MetricBytes, func(r *record.Result) float64 { return r.BytesPerGet }},
		metric{record.MetricCPU, func(r *record.Result) float64 { return r.CPUusPerGet }})
}

// Lines compares a side with the base, figure by figure. Both have runs of the same rounds, at
// least MinRounds. Components that neither side read are left out. If a self-check failed, one
// line without figures says so.
func Lines(base, side Side) (lines []*record.Comparison) {
	believed := holds(base.Runs) && holds(side.Runs)
	verdict := fitness(base, side, believed)
	for _, m := range metrics() {
		b, s := figures(m, base.Runs), figures(m, side.Runs)
		if m.name != record.MetricIOs && allZero(b) && allZero(s) {
			continue
		}
		line := newLine(m.name, base, side, believed)
		line.Verdict = verdict
		if believed {
			line.fill(b, s)
		}
		lines = append(lines, line.Comparison)
		if !believed {
			break
		}
	}
	return lines
}

type line struct{ *record.Comparison }

func newLine(name string, base, side Side, believed bool) line {
	first := base.Runs[0]
	c := &record.Comparison{
		Schema: record.ComparisonSchema, Time: latest(base.Runs, side.Runs), Metric: name,
		Cache: first.Cache, Workload: first.Workload, Rounds: len(base.Runs),
		Base: compared(base, believed), Side: compared(side, believed),
	}
	c.Workload.Lookup = "" // each side has its own
	return line{c}
}

// compared describes a side. Its I/Os per Get are absent if a self-check failed.
func compared(s Side, believed bool) record.ComparedSide {
	first := s.Runs[0]
	c := record.ComparedSide{
		Label: s.Label, Engine: first.Engine, Dataset: first.Dataset, Lookup: first.Workload.Lookup,
		Drift: drift(s.Runs),
	}
	if believed {
		ios := stat.Mean(figures(metrics()[0], s.Runs), nil)
		c.IOsPerGet = &ios
	}
	return c
}

// fill adds the figures, and their verdict if the runs allow one.
func (l line) fill(base, side []float64) {
	b, s, d := estimate(base), estimate(side), difference(base, side)
	l.Base.Estimate, l.Base.ByRound = &b, base
	l.Side.Estimate, l.Side.ByRound = &s, side
	l.Difference, l.Ratio = &d, ratio(base, side)
	if l.Verdict == "" {
		l.Verdict = judge(d, l.Ratio)
	}
}

// judge returns the verdict of the ratio's interval, or of the difference's without a ratio.
func judge(difference record.Estimate, ratio *record.Estimate) string {
	e, equal := difference, 0.0
	if ratio != nil {
		e, equal = *ratio, 1
	}
	switch {
	case !e.Excludes(equal):
		return record.VerdictNone
	case e.Mean < equal:
		return record.VerdictLess
	}
	return record.VerdictMore
}

// fitness returns the verdict on runs that allow none on their figures; "" for others.
func fitness(base, side Side, believed bool) string {
	b, s := compared(base, believed), compared(side, believed)
	switch {
	case !believed:
		return record.VerdictUnbelievable
	case b.Drift == nil || s.Drift == nil:
		return record.VerdictTooFewGets
	case b.StillDrifts() || s.StillDrifts():
		return record.VerdictUnsteady
	}
	return ""
}

func holds(runs []*record.Result) bool {
	for _, r := range runs {
		if !r.Checks.Hold() {
			return false
		}
	}
	return true
}

func figures(m metric, runs []*record.Result) []float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = m.of(r)
	}
	return values
}

func allZero(values []float64) bool {
	for _, v := range values {
		if v != 0 {
			return false
		}
	}
	return true
}

func latest(sides ...[]*record.Result) (last time.Time) {
	for _, runs := range sides {
		for _, r := range runs {
			if r.Time.After(last) {
				last = r.Time
			}
		}
	}
	return last
}

// drift is the mean drift of a side's runs, each over all of its Gets; nil if a run is too short
// to tell.
func drift(runs []*record.Result) *record.Estimate {
	values := make([]float64, len(runs))
	for i, r := range runs {
		if r.IOsPerGet.Drift == nil {
			return nil
		}
		values[i] = *r.IOsPerGet.Drift
	}
	e := estimate(values)
	return &e
}
