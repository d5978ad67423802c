package compare

import (
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"getio/engine/readpath"
	"getio/numbers/interval"
	"getio/record"
	"getio/record/judge"
)

// MinRounds is the least number of rounds with an interval.
const MinRounds = 2

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
	for _, m := range metrics() {
		b, s := figures(m, base.Runs), figures(m, side.Runs)
		if m.name != record.MetricIOs && allZero(b) && allZero(s) {
			continue
		}
		line := newLine(m.name, base, side, believed)
		if believed {
			fill(line, b, s)
			bound(line.Base.Estimate, m, base.Runs)
			bound(line.Side.Estimate, m, side.Runs)
		}
		if lines = append(lines, line); !believed {
			break
		}
	}
	judgeAll(lines)
	return lines
}

// judgeAll sets the verdicts of all lines of one call, of which each takes a confidence with which all are true together.
func judgeAll(lines []*record.Comparison) {
	for _, l := range lines {
		l.Confidence = interval.OfEach(len(lines), interval.Usual)
		l.Verdict = judge.Verdict(l)
	}
}

func newLine(name string, base, side Side, believed bool) *record.Comparison {
	first := base.Runs[0]
	c := &record.Comparison{
		Schema: record.ComparisonSchema, Time: latest(base.Runs, side.Runs), Metric: name,
		Cache: first.Cache, Workload: first.Workload, Rounds: len(base.Runs),
		Base: compared(base, believed), Side: compared(side, believed),
	}
	c.Workload.Lookup = "" // each side has its own
	return c
}

// compared describes a side. Its I/Os per Get are absent if a self-check failed.
func compared(s Side, believed bool) record.ComparedSide {
	first := s.Runs[0]
	c := record.ComparedSide{
		Label: s.Label, Engine: first.Engine, Dataset: first.Dataset, Lookup: first.Workload.Lookup,
		Drift: drift(s.Runs),
	}
	if believed {
		c.IOsPerGet = new(stat.Mean(figures(metrics()[0], s.Runs), nil))
	}
	return c
}

// fill sets the figures of a line, one of each round.
func fill(l *record.Comparison, base, side []float64) {
	l.Base.Estimate, l.Base.ByRound = new(judge.Estimate(base, interval.Usual)), base
	l.Side.Estimate, l.Side.ByRound = new(judge.Estimate(side, interval.Usual)), side
	d, ratio := judge.Difference(l, interval.Usual)
	l.Difference, l.Ratio = &d, ratio
}

// bound raises the upper end of a figure that counts reads, if there were none, to that of a Poisson count.
func bound(e *record.Estimate, m metric, runs []*record.Result) {
	if e.CI95[1] > 0 || m.name == record.MetricBytes || m.name == record.MetricCPU {
		return
	}
	gets := int64(0)
	for _, r := range runs {
		gets += r.Workload.Gets
	}
	e.CI95[1] = interval.MostExpected(0) / float64(gets)
}

func holds(runs []*record.Result) bool {
	return !slices.ContainsFunc(runs, func(r *record.Result) bool { return !r.Checks.Hold() })
}

func figures(m metric, runs []*record.Result) []float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = m.of(r)
	}
	return values
}

func allZero(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}

func latest(sides ...[]*record.Result) time.Time {
	last := slices.MaxFunc(slices.Concat(sides...), func(a, b *record.Result) int { return a.Time.Compare(b.Time) })
	return last.Time
}

// drift is the mean drift of a side's runs, each over all of its Gets; nil if a run is too short
// to judge.
func drift(runs []*record.Result) *record.Estimate {
	values := make([]float64, len(runs))
	for i, r := range runs {
		if r.IOsPerGet.Drift == nil {
			return nil
		}
		values[i] = *r.IOsPerGet.Drift
	}
	return new(judge.Estimate(values, interval.Usual))
}
