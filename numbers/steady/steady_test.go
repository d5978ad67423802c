package steady

import (
	"math"
	"math/rand/v2"
	"testing"
)

// windowsOf makes windows of equal length with the given means.
func windowsOf(gets int64, means ...float64) (windows []Window) {
	for _, m := range means {
		windows = append(windows, Window{Gets: gets, Reads: math.Round(m * float64(gets))})
	}
	return windows
}

func TestDriftOfALine(t *testing.T) {
	// A line that falls from 1.4 to 1.0 over five windows: 0.1 per window, so by
	// 1.0 over all ten windows made, of a mean of 1.2.
	w := windowsOf(100_000, 1.4, 1.3, 1.2, 1.1, 1.0)
	drift, ok := DriftOf(w, 20_000, 1_000_000)
	if !ok || math.Abs(drift.Relative+1.0/1.2) > 1e-4 || math.Abs(drift.Mean-1.2) > 1e-9 || drift.Steady() {
		t.Errorf("drift %+v, ok %v", drift, ok)
	}
	if _, ok := DriftOf(w[:4], 20_000, 1_000_000); ok {
		t.Error("four windows are too few")
	}
	if _, ok := DriftOf(w, 100_001, 1_000_000); ok {
		t.Error("windows below the least length say nothing")
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
		if got := (Drift{c.relative, c.mean}).Steady(); got != c.want {
			t.Errorf("a drift of %g of %g: steady %v", c.relative, c.mean, got)
		}
	}
}

// TestDriftMergesTheLast: 22 windows become five of four; the first two are left
// out.
func TestDriftMergesTheLast(t *testing.T) {
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
	if mergeLast(windows[:4], 5) != nil {
		t.Error("four windows made five")
	}
}

// TestHalveKeepsReads but for a first window that is left over.
func TestHalveKeepsReads(t *testing.T) {
	if got := Halve(windowsOf(10, 1, 2, 3, 4)); len(got) != 2 || got[0].Reads != 30 || got[1].Reads != 70 || got[1].Gets != 20 {
		t.Errorf("%+v", got)
	}
	if got := Halve(windowsOf(10, 1, 2, 3)); len(got) != 1 || got[0].Reads != 50 {
		t.Errorf("%+v", got)
	}
}

// TestSlowExponentialIsNotSteady: the published run at 21 GB, which fell from
// 1.33 to 1.06 as it went on, passes no window of it.
func TestSlowExponentialIsNotSteady(t *testing.T) {
	var windows []Window
	var gets int64
	for i := range 20 {
		windows = append(windows, windowsOf(500_000, 1.05+0.4*math.Exp(-float64(i)/15))...)
		gets += 500_000
		if drift, ok := DriftOf(windows, 20_000, gets); ok && drift.Steady() {
			t.Errorf("after %d windows the drift is said to be %+v", i+1, drift)
		}
	}
}

// TestConfidenceOfAKnownSample: five means 1 to 5: 3 +- 2.776 * 1.5811 / sqrt(5).
func TestConfidenceOfAKnownSample(t *testing.T) {
	lo, hi, ok := Confidence(windowsOf(1000, 1, 2, 3, 4, 5))
	const half = 2.776445 * 1.5811388 / 2.2360680
	if !ok || math.Abs(lo-(3-half)) > 1e-4 || math.Abs(hi-(3+half)) > 1e-4 {
		t.Errorf("%v to %v", lo, hi)
	}
	if _, _, ok := Confidence(windowsOf(1000, 1)); ok {
		t.Error("one window has no interval")
	}
}

// TestConfidenceCovers the true mean in about 95 of 100 runs.
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
		t.Errorf("%.1f%% of the intervals hold the true mean", 100*share)
	}
}
