package steady

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// windowsOf returns windows of equal length with the given means.
func windowsOf(gets int64, means ...float64) (windows []Window) {
	for _, m := range means {
		windows = append(windows, Window{Gets: gets, Reads: math.Round(m * float64(gets))})
	}
	return windows
}

func TestDriftOfALine(t *testing.T) {
	// The line falls by 0.1 per window, from 1.4 to 1.0 over the last five. That is 1.0
	// over all ten windows, relative to a mean of 1.2.
	w := windowsOf(100_000, 1.4, 1.3, 1.2, 1.1, 1.0)
	drift, ok := DriftOf(w, 20_000, 1_000_000)
	if !ok || math.Abs(drift.Relative+1.0/1.2) > 1e-4 || math.Abs(drift.Mean-1.2) > 1e-9 || drift.Steady() {
		t.Errorf("drift %+v, ok %v", drift, ok)
	}
	if _, ok := DriftOf(w[:4], 20_000, 1_000_000); ok {
		t.Error("got a drift from four windows")
	}
	if _, ok := DriftOf(w, 100_001, 1_000_000); ok {
		t.Error("got a drift from windows that are too short")
	}
	if drift, ok := DriftOf(windowsOf(100_000, 0, 0, 0, 0, 0), 20_000, 1_000_000); !ok || !drift.Steady() {
		t.Errorf("no reads at all: drift %+v, ok %v", drift, ok)
	}
}

func TestSteadyRule(t *testing.T) {
	for _, c := range []struct {
		relative, mean float64
		want           bool
	}{
		{0.0099, 2, true}, {0.0101, 2, false}, {-0.0101, 2, false},
		{0.0101, 0.1, false}, {0.0099, 0.1, true}, // where the two limits meet
		{-0.0567, 0.0146, true}, {0.0567, 0.0146, true}, {-0.0567, 0.02, false},
		{99, 0.00001, true}, {math.Inf(1), 2, false},
	} {
		assert.Equal(t, c.want, (Drift{c.relative, c.mean}).Steady(), "a drift of %g of %g", c.relative, c.mean)
	}
}

// TestMergeLast merges 22 windows into five of four and drops the first two.
func TestMergeLast(t *testing.T) {
	windows := windowsOf(10, 9, 9)
	for i := range 20 {
		windows = append(windows, windowsOf(10, float64(i))...)
	}
	merged := mergeLast(windows, 5)
	for i, m := range merged {
		if m.Gets != 40 || m.Mean() != float64(4*i)+1.5 {
			t.Errorf("window %d: %+v with mean %v", i, m, m.Mean())
		}
	}
	assert.Nil(t, mergeLast(windows[:4], 5), "four windows were merged into five")
}

func TestHalve(t *testing.T) {
	if got := Halve(windowsOf(10, 1, 2, 3, 4)); len(got) != 2 || got[0].Reads != 30 || got[1].Reads != 70 || got[1].Gets != 20 {
		t.Errorf("%+v", got)
	}
	if got := Halve(windowsOf(10, 1, 2, 3)); len(got) != 1 || got[0].Reads != 50 {
		t.Errorf("%+v", got)
	}
}

func TestPairs(t *testing.T) {
	assert.Equal(t, windowsOf(20, 1.5, 3.5), pairs(windowsOf(10, 1, 2, 3, 4)))
	assert.Equal(t, []Window{{30, 60}, {20, 90}}, pairs(windowsOf(10, 1, 2, 3, 4, 5)))
}

// TestSlowExponentialIsNotSteady models the published run at 21 GB, which fell slowly from
// 1.33 to 1.06. It must not be steady after any window.
func TestSlowExponentialIsNotSteady(t *testing.T) {
	var windows []Window
	var gets int64
	for i := range 20 {
		windows = append(windows, windowsOf(500_000, 1.05+0.4*math.Exp(-float64(i)/15))...)
		gets += 500_000
		if drift, ok := DriftOf(windows, 20_000, gets); ok && drift.Steady() {
			t.Errorf("after %d windows: steady with drift %+v", i+1, drift)
		}
	}
}

// TestConfidenceOfAKnownSample: for the means 1 to 5, the interval is
// 3 +- 2.776 * 1.5811 / sqrt(5).
func TestConfidenceOfAKnownSample(t *testing.T) {
	lo, hi, ok := Confidence(windowsOf(1000, 1, 2, 3, 4, 5))
	const half = 2.776445 * 1.5811388 / 2.2360680
	if !ok || math.Abs(lo-(3-half)) > 1e-4 || math.Abs(hi-(3+half)) > 1e-4 {
		t.Errorf("%v to %v", lo, hi)
	}
	if _, _, ok := Confidence(windowsOf(1000, 1)); ok {
		t.Error("got an interval from one window")
	}
}

// TestConfidenceCovers checks that about 95% of the intervals contain the true mean.
func TestConfidenceCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const runs, p = 2000, 0.4
	covered := 0
	for range runs {
		windows := make([]Window, 20)
		for i := range windows {
			const gets = 1000
			reads := float64(gets)
			for range gets {
				if r.Float64() < p {
					reads++
				}
			}
			windows[i] = Window{gets, reads}
		}
		if lo, hi, _ := Confidence(windows); lo <= 1+p && 1+p <= hi {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.93 || share > 0.97 {
		t.Errorf("%.1f%% of the intervals contain the true mean", 100*share)
	}
}

// TestConfidenceCoversCycles: neighbouring windows resemble each other as those of 1,000 Gets do with a cache just above
// IP2 (docs/method.md). Student's t over the windows alone would hold the mean in 90% of the cases.
func TestConfidenceCoversCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const (
		runs  = 4000
		share = 0.153 // of a window's variance that comes from cycles
		keeps = 0.59  // how much of a cycle's excursion is left in the next window
	)
	var covered, byRatio int
	for range runs {
		cycle := r.NormFloat64()
		windows := make([]Window, 20)
		for i := range windows {
			cycle = keeps*cycle + math.Sqrt(1-keeps*keeps)*r.NormFloat64()
			mean := 1 + 0.01*(math.Sqrt(share)*cycle+math.Sqrt(1-share)*r.NormFloat64())
			windows[i] = Window{1000, 1000 * mean}
		}
		if lo, hi, _ := Confidence(windows); lo <= 1 && 1 <= hi {
			covered++
		}
		if lo, hi, _ := RatioConfidence(windows); lo <= 1 && 1 <= hi {
			byRatio++
		}
	}
	assert.InDelta(t, 0.94, float64(covered)/runs, 0.01)
	assert.InDelta(t, 0.94, float64(byRatio)/runs, 0.01)
}

// TestRatioConfidence: with windows of equal length it is Confidence; the length of a window weighs.
func TestRatioConfidence(t *testing.T) {
	equal := []Window{{100, 120}, {100, 150}, {100, 90}, {100, 130}}
	lo, hi, ok := RatioConfidence(equal)
	wantLo, wantHi, _ := Confidence(equal)
	assert.True(t, ok)
	assert.InDelta(t, wantLo, lo, 1e-9)
	assert.InDelta(t, wantHi, hi, 1e-9)

	lo, hi, ok = RatioConfidence([]Window{{1000, 500}, {10, 5}, {1, 0.5}})
	assert.True(t, ok)
	assert.InDelta(t, 0.5, lo, 1e-9, "all windows agree")
	assert.InDelta(t, 0.5, hi, 1e-9)

	// Most Gets are in the first window of an odd number: the others hardly count.
	uneven := []Window{{100_000, 50_000}}
	for range 5 {
		uneven = append(uneven, Window{100, 70}, Window{100, 30})
	}
	lo, hi, ok = RatioConfidence(uneven)
	assert.True(t, ok)
	assert.InDelta(t, 0.5, lo, 0.002)
	assert.InDelta(t, 0.5, hi, 0.002)

	for _, few := range [][]Window{nil, {{10, 5}}, {{0, 0}, {0, 0}}} {
		_, _, ok := RatioConfidence(few)
		assert.False(t, ok)
	}
}
