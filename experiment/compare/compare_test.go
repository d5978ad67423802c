package compare

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"getio/record"
	"getio/tree/readpath"
)

// runOf is a steady run with that many reads of data blocks per Get.
func runOf(ios float64) *record.Result {
	const gets = 1_000_000
	drift := 0.001
	r := &record.Result{
		Checks: readpath.Checks{{Name: "regions", OK: true}}, Workload: record.Workload{Gets: gets, Seed: 1},
		Components:  map[string]record.Component{readpath.Data.String(): {Misses: int64(ios * gets)}},
		BytesPerGet: 4000 * ios, CPUusPerGet: 10,
	}
	r.IOsPerGet = record.IOsPerGet{Mean: ios, Drift: &drift}
	return r
}

func sideOf(label string, ios ...float64) Side {
	s := Side{Label: label}
	for _, v := range ios {
		s.Runs = append(s.Runs, runOf(v))
	}
	return s
}

// lineOf is the line of a metric.
func lineOf(t *testing.T, lines []*record.Comparison, metric string) *record.Comparison {
	t.Helper()
	for _, l := range lines {
		if l.Metric == metric {
			return l
		}
	}
	t.Fatalf("no line of %s", metric)
	return nil
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// TestEstimateByHand: three values with mean 2 and standard deviation 1; 4.303 is the 0.975
// quantile of Student's t with two degrees of freedom, from a printed table.
func TestEstimateByHand(t *testing.T) {
	e := estimate([]float64{1, 2, 3})
	if half := 4.303 / math.Sqrt(3); !near(e.Mean, 2) || math.Abs(e.HalfWidth()-half) > 1e-3 {
		t.Errorf("%+v, want 2 ± %v", e, half)
	}
	// Four degrees of freedom: 2.776.
	e = estimate([]float64{2, 4, 4, 4, 6})
	if half := 2.776 * math.Sqrt2 / math.Sqrt(5); !near(e.Mean, 4) || math.Abs(e.HalfWidth()-half) > 1e-3 {
		t.Errorf("%+v, want 4 ± %v", e, half)
	}
}

// TestIntervalsCoverTruth: of simulated comparisons with a known ratio, 95% of the intervals
// contain it. Both runs of a round share its luck.
func TestIntervalsCoverTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, rounds := range []int{MinRounds, 3, 5, 20} {
		const simulated = 4000
		const truth = 0.96
		held, heldDifference := 0, 0
		for range simulated {
			base, side := make([]float64, rounds), make([]float64, rounds)
			for i := range rounds {
				luck := math.Exp(0.05 * random.NormFloat64())
				base[i] = 2 * luck * math.Exp(0.003*random.NormFloat64())
				side[i] = 2 * truth * luck * math.Exp(0.003*random.NormFloat64())
			}
			if !ratio(base, side).Excludes(truth) {
				held++
			}
			if !difference(base, side).Excludes(2 * (truth - 1) * math.Exp(0.05*0.05/2)) {
				heldDifference++
			}
		}
		// 95% of 4000, give or take four standard deviations.
		const slack = 4 * 0.0034
		if share := float64(held) / simulated; math.Abs(share-0.95) > slack {
			t.Errorf("%d rounds: %.1f%% of the ratios' intervals hold the truth", rounds, 100*share)
		}
		if share := float64(heldDifference) / simulated; math.Abs(share-0.95) > slack {
			t.Errorf("%d rounds: %.1f%% of the differences' intervals hold the truth", rounds, 100*share)
		}
	}
}

// TestPairsCancelLuckOfRound, which is ten times the difference.
func TestPairsCancelLuckOfRound(t *testing.T) {
	base := sideOf("A", 1.0, 1.2, 1.1, 0.9, 1.3)
	side := Side{Label: "B"}
	for i, r := range base.Runs {
		side.Runs = append(side.Runs, runOf(r.IOsPerGet.Mean*(0.98+0.001*float64(i%2))))
	}
	l := lineOf(t, Lines(base, side), record.MetricIOs)
	if l.Verdict != record.VerdictLess || math.Abs(l.Ratio.Mean-0.9804) > 1e-3 {
		t.Errorf("%s, %+v", l.Verdict, l.Ratio)
	}
}

// TestSidesAreSymmetric: exchanging them inverts the ratio and negates the difference, and a
// ratio does not depend on the unit of its figures.
func TestSidesAreSymmetric(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := MinRounds + random.IntN(9)
		base, side := make([]float64, n), make([]float64, n)
		scaledBase, scaledSide := make([]float64, n), make([]float64, n)
		for i := range n {
			base[i], side[i] = 0.1+random.Float64(), 0.1+random.Float64()
			scaledBase[i], scaledSide[i] = 4096*base[i], 4096*side[i]
		}
		r, back, scaled := ratio(base, side), ratio(side, base), ratio(scaledBase, scaledSide)
		d, round := difference(base, side), difference(side, base)
		for i := range 2 {
			if !near(r.CI95[i]*back.CI95[1-i], 1) || !near(r.CI95[i], scaled.CI95[i]) || !near(d.CI95[i], -round.CI95[1-i]) {
				t.Fatalf("ratio %+v, back %+v, scaled %+v; difference %+v, back %+v", r, back, scaled, d, round)
			}
		}
		want := map[string]string{record.VerdictLess: record.VerdictMore, record.VerdictMore: record.VerdictLess, record.VerdictNone: record.VerdictNone}
		if a, b := judge(d, r), judge(round, back); want[a] != b {
			t.Fatalf("%s one way, %s the other", a, b)
		}
	}
}

func TestEqualRunsDoNotDiffer(t *testing.T) {
	base, side := sideOf("A", 1.5, 1.6, 1.4), sideOf("B", 1.5, 1.6, 1.4)
	for _, l := range Lines(base, side) {
		if l.Verdict != record.VerdictNone || l.Difference.Mean != 0 || l.Difference.HalfWidth() != 0 || l.Ratio.Mean != 1 || l.Ratio.HalfWidth() != 0 {
			t.Errorf("%s: %s, %+v, %+v", l.Metric, l.Verdict, l.Difference, l.Ratio)
		}
	}
}

// TestVerdicts by the interval alone.
func TestVerdicts(t *testing.T) {
	for want, side := range map[string][]float64{
		record.VerdictLess: {1.4, 1.41, 1.39},
		record.VerdictMore: {1.6, 1.61, 1.59},
		record.VerdictNone: {1.6, 1.4, 1.55},
	} {
		if l := lineOf(t, Lines(sideOf("A", 1.5, 1.5, 1.5), sideOf("B", side...)), record.MetricIOs); l.Verdict != want {
			t.Errorf("%v: %s, want %s", side, l.Verdict, want)
		}
	}
}

// TestUnreadComponents: a component that one side never reads has a difference but no ratio;
// one that neither side reads has no line.
func TestUnreadComponents(t *testing.T) {
	base, side := sideOf("A", 1, 1, 1), sideOf("B", 1, 1, 1)
	for _, r := range side.Runs {
		r.Components[readpath.Filter.String()] = record.Component{Misses: 100_000}
	}
	lines := Lines(base, side)
	l := lineOf(t, lines, readpath.Filter.String())
	if l.Ratio != nil || !near(l.Difference.Mean, 0.1) || l.Verdict != record.VerdictMore {
		t.Errorf("%s, difference %+v, ratio %+v", l.Verdict, l.Difference, l.Ratio)
	}
	if len(lines) != 5 { // I/Os, filter, data, bytes, CPU
		t.Errorf("%d lines", len(lines))
	}
}

// TestComponentsAddUp to the difference in I/Os.
func TestComponentsAddUp(t *testing.T) {
	base, side := sideOf("A", 2, 2.1, 2.2), sideOf("B", 1.9, 1.9, 2)
	for i := range base.Runs {
		for _, r := range []*record.Result{base.Runs[i], side.Runs[i]} {
			r.Components[readpath.Index.String()] = record.Component{Misses: int64(1000 * (i + 1))}
			r.IOsPerGet.Mean += float64(1000*(i+1)) / float64(r.Workload.Gets)
		}
	}
	sum := 0.0
	lines := Lines(base, side)
	for _, c := range []readpath.Component{readpath.Index, readpath.Data} {
		sum += lineOf(t, lines, c.String()).Difference.Mean
	}
	if total := lineOf(t, lines, record.MetricIOs).Difference.Mean; math.Abs(total-sum) > 1e-6 {
		t.Errorf("%v in all, %v by component", total, sum)
	}
}

// TestUnsteadyRunsHaveNoVerdict: only drift that all rounds share counts. Drift that comes and
// goes is noise.
func TestUnsteadyRunsHaveNoVerdict(t *testing.T) {
	withDrift := func(drifts ...float64) Side {
		s := sideOf("B", 1, 1, 1)
		for i := range drifts {
			s.Runs[i].IOsPerGet.Drift = &drifts[i]
		}
		return s
	}
	base := sideOf("A", 1.5, 1.5, 1.5)
	for _, c := range []struct {
		side Side
		want string
	}{
		{withDrift(-0.03, -0.031, -0.029), record.VerdictUnsteady},
		{withDrift(0.03, 0.031, 0.029), record.VerdictUnsteady},
		{withDrift(-0.009, -0.0091, -0.0089), record.VerdictLess}, // within the rule
		{withDrift(-0.05, 0.04, -0.03), record.VerdictLess},       // noise
	} {
		lines := Lines(base, c.side)
		for _, l := range lines {
			if l.Metric != record.MetricCPU && l.Verdict != c.want || l.Base.Estimate == nil {
				t.Errorf("%s is %s, want %s", l.Metric, l.Verdict, c.want)
			}
		}
		if back := lineOf(t, Lines(c.side, base), record.MetricIOs).Verdict; c.want == record.VerdictUnsteady && back != c.want {
			t.Errorf("as the base: %s", back)
		}
	}
	short := withDrift()
	short.Runs[1].IOsPerGet.Drift = nil
	if l := Lines(base, short)[0]; l.Verdict != record.VerdictTooFewGets || l.Side.Drift != nil || l.Difference == nil {
		t.Errorf("a run too short to tell: %s", l.Verdict)
	}
}

// TestFailedRunsHaveNoFigure: one line says so instead.
func TestFailedRunsHaveNoFigure(t *testing.T) {
	for _, failing := range []int{0, 1} {
		sides := []Side{sideOf("A", 1, 1), sideOf("B", 2, 2)}
		sides[failing].Runs[1].Checks = readpath.Checks{{Name: "regions"}}
		lines := Lines(sides[0], sides[1])
		if len(lines) != 1 || lines[0].Verdict != record.VerdictUnbelievable {
			t.Fatalf("%d lines, the first %+v", len(lines), lines[0])
		}
		if l := lines[0]; l.Difference != nil || l.Ratio != nil || l.Base.Estimate != nil || l.Side.ByRound != nil {
			t.Errorf("a figure of a failed run: %+v", l)
		}
	}
}

func TestLinesDescribeRuns(t *testing.T) {
	base, side := sideOf("old", 1, 1), sideOf("new", 1, 1)
	last := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	base.Runs[1].Time, side.Runs[0].Time = last.Add(-time.Hour), last
	side.Runs[0].Workload.Lookup = record.LookupSeek
	l := Lines(base, side)[0]
	if l.Schema != record.ComparisonSchema || !l.Time.Equal(last) || l.Rounds != 2 || l.Base.Label != "old" || l.Side.Label != "new" ||
		l.Side.Lookup != record.LookupSeek || l.Base.Lookup != "" || l.Workload.Lookup != "" || l.Workload.Seed != 1 {
		t.Errorf("%+v", l)
	}
}
