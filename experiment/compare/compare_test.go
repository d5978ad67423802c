package compare

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/numbers/interval"
	"getio/record"
	"getio/record/judge"
)

// runOf returns a run of a million Gets. figures are the reads per Get by component, and "drift",
// NaN for a run too short to judge; "failed" is 1 for a run whose self-check failed.
func runOf(figures map[string]float64) *record.Result {
	const gets = 1_000_000
	drift, known := figures["drift"]
	if !known {
		drift = 0.001
	}
	r := &record.Result{
		Checks: readpath.Checks{{Name: "regions", OK: figures["failed"] == 0}}, Workload: record.Made{Gets: gets, Seed: 1},
		Components: map[string]record.Component{}, BytesPerGet: 4000 * figures["data"], CPUusPerGet: 10,
	}
	for _, c := range readpath.Components() {
		r.Components[c.String()] = record.Component{Misses: int64(math.Round(gets * figures[c.String()]))}
		r.IOsPerGet.Mean += figures[c.String()]
	}
	if !math.IsNaN(drift) {
		r.IOsPerGet.Drift = &drift
	}
	return r
}

// TestLines compares the first side of the input with the second. A line of the input is a side's
// label, the name of a figure, and its value in each round.
func TestLines(t *testing.T) {
	datadriven.RunTest(t, "testdata/lines", func(t *testing.T, d *datadriven.TestData) string {
		rounds := map[string][]map[string]float64{}
		for text := range strings.Lines(d.Input) {
			fields := strings.Fields(text)
			side, figure := fields[0], fields[1]
			for i, text := range fields[2:] {
				value, err := strconv.ParseFloat(text, 64)
				require.NoError(t, err)
				if i == len(rounds[side]) {
					rounds[side] = append(rounds[side], map[string]float64{})
				}
				rounds[side][i][figure] = value
			}
		}
		sides := []Side{{Label: "A"}, {Label: "B"}}
		for i := range sides {
			for _, figures := range rounds[sides[i].Label] {
				sides[i].Runs = append(sides[i].Runs, runOf(figures))
			}
		}
		var b strings.Builder
		sum := 0.0
		lines := Lines(sides[0], sides[1])
		for _, l := range lines {
			fmt.Fprintf(&b, "%s: %s", l.Metric, l.Verdict)
			if l.Difference != nil {
				fmt.Fprintf(&b, ", difference %.9g ± %.2g", l.Difference.Mean, l.Difference.HalfWidth())
			}
			if l.Ratio != nil {
				fmt.Fprintf(&b, ", ratio 1%+.9g ± %.2g", l.Ratio.Mean-1, l.Ratio.HalfWidth())
			}
			if l.Base.Estimate != nil || l.Side.ByRound != nil {
				fmt.Fprintf(&b, ", A %.4g, B %.4g", l.Base.Estimate.Mean, l.Side.ByRound)
			}
			if l.Side.Drift == nil {
				b.WriteString(", drift of B unknown")
			}
			b.WriteByte('\n')
			if l.Difference != nil && !strings.HasSuffix(l.Metric, "_per_get") { // a component
				sum += l.Difference.Mean
			}
		}
		if all := lines[0].Difference; all != nil && math.Abs(all.Mean-sum) > 1e-6 {
			t.Errorf("the difference in I/Os is %v, that of all components %v", all.Mean, sum)
		}
		if back := Lines(sides[1], sides[0])[0].Verdict; !lines[0].HasVerdict() && back != lines[0].Verdict {
			t.Errorf("verdict %s, and %s with the sides exchanged", lines[0].Verdict, back)
		}
		return b.String()
	})
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// TestEstimateByHand: three values with mean 2 and standard deviation 1; 4.303 is the 0.975
// quantile of Student's t with two degrees of freedom, from a printed table.
func TestEstimateByHand(t *testing.T) {
	e := judge.Estimate([]float64{1, 2, 3}, interval.Usual)
	if half := 4.303 / math.Sqrt(3); !near(e.Mean, 2) || math.Abs(e.HalfWidth()-half) > 1e-3 {
		t.Errorf("%+v, want 2 ± %v", e, half)
	}
	// Four degrees of freedom: 2.776.
	e = judge.Estimate([]float64{2, 4, 4, 4, 6}, interval.Usual)
	if half := 2.776 * math.Sqrt2 / math.Sqrt(5); !near(e.Mean, 4) || math.Abs(e.HalfWidth()-half) > 1e-3 {
		t.Errorf("%+v, want 4 ± %v", e, half)
	}
}

// estimates returns the difference and the ratio of two sides, by round.
func estimates(base, side []float64) (difference record.Estimate, ratio *record.Estimate) {
	c := record.Comparison{Base: record.ComparedSide{ByRound: base}, Side: record.ComparedSide{ByRound: side}}
	return judge.Difference(&c, interval.Usual)
}

// TestVerdictsAreTrueTogether: of comparisons of sides that do not differ, at most about 5% show a difference in any line.
func TestVerdictsAreTrueTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const comparisons, rounds = 1000, 5
	wrong := 0
	for range comparisons {
		sides := []Side{{Label: "A"}, {Label: "B"}}
		for i := range sides {
			for range rounds {
				values := map[string]float64{}
				for _, m := range metrics() {
					values[m.name] = 1 + 0.01*random.NormFloat64()
				}
				sides[i].Runs = append(sides[i].Runs, runOf(values))
			}
		}
		if slices.ContainsFunc(Lines(sides[0], sides[1]), func(l *record.Comparison) bool { return l.Verdict != record.VerdictNone }) {
			wrong++
		}
	}
	assert.Less(t, float64(wrong)/comparisons, 0.07)
}

// TestNoReads: of a component that a side did not read in 2 x 1,000 Gets, there may be 3.689 reads in as many.
func TestNoReads(t *testing.T) {
	runs := func(filter float64) (runs []*record.Result) {
		for range 2 {
			r := runOf(map[string]float64{"filter": filter})
			r.Workload.Gets = 1000
			runs = append(runs, r)
		}
		return runs
	}
	for _, l := range Lines(Side{"A", runs(0)}, Side{"B", runs(5)}) {
		if l.Metric == "filter" {
			assert.InDelta(t, 3.6889/2000, l.Base.Estimate.CI95[1], 1e-6)
			return
		}
	}
	t.Error("no line of filters")
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
			difference, ratio := estimates(base, side)
			if !ratio.Excludes(truth) {
				held++
			}
			if !difference.Excludes(2 * (truth - 1) * math.Exp(0.05*0.05/2)) {
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
		d, r := estimates(base, side)
		round, back := estimates(side, base)
		_, scaled := estimates(scaledBase, scaledSide)
		for i := range 2 {
			if !near(r.CI95[i]*back.CI95[1-i], 1) || !near(r.CI95[i], scaled.CI95[i]) || !near(d.CI95[i], -round.CI95[1-i]) {
				t.Fatalf("ratio %+v, back %+v, scaled %+v; difference %+v, back %+v", r, back, scaled, d, round)
			}
		}
		want := map[string]string{record.VerdictLess: record.VerdictMore, record.VerdictMore: record.VerdictLess, record.VerdictNone: record.VerdictNone}
		verdict := func(difference record.Estimate, ratio *record.Estimate) string {
			steady := record.ComparedSide{Drift: &record.Estimate{}}
			return judge.Verdict(&record.Comparison{Base: steady, Side: steady, Difference: &difference, Ratio: ratio})
		}
		if a, b := verdict(d, r), verdict(round, back); want[a] != b {
			t.Fatalf("%s one way, %s the other", a, b)
		}
	}
}

func TestLinesDescribeRuns(t *testing.T) {
	runs := func() []*record.Result { return []*record.Result{runOf(nil), runOf(nil)} }
	base, side := Side{"old", runs()}, Side{"new", runs()}
	last := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	base.Runs[1].Time, side.Runs[0].Time = last.Add(-time.Hour), last
	side.Runs[0].Workload.Lookup = record.LookupSeek
	l := Lines(base, side)[0]
	if l.Schema != record.ComparisonSchema || !l.Time.Equal(last) || l.Rounds != 2 || l.Base.Label != "old" || l.Side.Label != "new" ||
		l.Side.Lookup != record.LookupSeek || l.Base.Lookup != "" || l.Workload.Lookup != "" || l.Workload.Seed != 1 {
		t.Errorf("%+v", l)
	}
}

// TestRunsWithoutSide: a journal of an older version does not say which side a run is of.
func TestRunsWithoutSide(t *testing.T) {
	for _, run := range []*record.ComparisonRun{nil, {Side: "a", Round: 1, Rounds: 2}} {
		var line bytes.Buffer
		require.NoError(t, record.WriteLine(&line, &record.Result{Schema: record.ResultSchema, ComparisonRun: run}))
		path := filepath.Join(t.TempDir(), "runs.jsonl")
		require.NoError(t, os.WriteFile(path, line.Bytes(), 0o644))
		var warnings []string
		p := &Plan{Journal: record.Journal{Path: path}, Warn: func(text string) { warnings = append(warnings, text) }}
		require.NoError(t, p.Resume())
		if run != nil {
			assert.Empty(t, warnings)
			assert.Len(t, p.doneOf("a"), 1)
			continue
		}
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], path+" does not say which sides its 1 run")
		assert.Contains(t, warnings[0], "starts from the beginning")
		assert.Empty(t, p.doneOf("a"))
	}
}
