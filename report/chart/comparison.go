package chart

import (
	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// compared charts the I/Os per Get of compared configurations over cache sizes, with a
// line for each of them and each share of absent keys.
func compared(s *study.Study) Chart {
	c := Chart{
		Name: "compared", Title: "I/Os per Get of compared configurations by cache size", Judged: true, Verdicts: true,
		Note: "Means over rounds of the same Gets; hollow points are of runs that are not known to be steady. Bands are 95% confidence intervals of each side over the rounds: a difference is computed from the pairs of each round, and can be certain where bands overlap. Caches as shares are of the base's database.",
		X:    Axis{Label: "block cache", Unit: CacheBytes, Log: true},
		Y:    Axis{Label: "I/Os per Get", Unit: IOsPerGet},
	}
	taken := colours{}
	for _, group := range s.Comparisons {
		add := func(lines []*record.Comparison, of func(*record.Comparison) record.ComparedSide) {
			label := of(lines[0]).Label
			line := Line{Name: named(label, study.AbsentKeys(lines[0].Workload.HitFraction)), Kind: Measured, Colour: taken.next(named(group.Name, label))}
			line.Name += units.If(len(s.Comparisons) > 1, " ["+group.Name+"]")
			for _, l := range lines {
				if side := of(l); l.Metric == record.MetricIOs && side.Estimate != nil {
					p := comparedPoint(l, side.Estimate)
					if side.Label != l.Base.Label {
						p.Verdict = verdict(l)
					}
					line.Points = append(line.Points, p)
				}
			}
			c.line(line)
		}
		for _, base := range group.Bases() {
			add(base, func(l *record.Comparison) record.ComparedSide { return l.Base })
			for _, pair := range study.BySide(group.Lines) {
				if pair[0].Workload.HitFraction == base[0].Workload.HitFraction {
					add(pair, func(l *record.Comparison) record.ComparedSide { return l.Side })
				}
			}
		}
	}
	return c
}

func verdict(l *record.Comparison) *Verdict {
	v := &Verdict{Base: l.Base.Label, Verdict: l.Verdict}
	if r := l.Ratio; r != nil {
		v.Ratio, v.Low, v.High = &r.Mean, &r.CI95[0], &r.CI95[1]
	}
	return v
}

// comparedPoint returns the figure of one side with the cache of a line. It is not steady
// if one of the sides is not: the verdict does not say which.
func comparedPoint(l *record.Comparison, e *record.Estimate) Point {
	low := max(e.CI95[0], 0) // the interval of few rounds may reach below 0
	p := Point{X: float64(l.Cache.Bytes), Share: shareOf(l.Cache), Y: e.Mean, Low: &low, High: &e.CI95[1]}
	if l.Verdict != record.VerdictTooFewGets {
		told := l.HasVerdict()
		p.Steady = &told
	}
	return p
}
