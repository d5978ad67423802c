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

// TestConfidenceOfAKnownSample: nine windows that alternate between 1 and 2, whose correlation is below 0, have a variance
// of 20/9/8 and three degrees of freedom.
func TestConfidenceOfAKnownSample(t *testing.T) {
	lo, hi, ok := Confidence(windowsOf(1000, 1, 2, 1, 2, 1, 2, 1, 2, 1))
	const half = 3.182446 * 0.5270463 / 3
	assert.True(t, ok)
	assert.InDelta(t, 13./9-half, lo, 1e-6)
	assert.InDelta(t, 13./9+half, hi, 1e-6)
	_, _, ok = Confidence(windowsOf(1000, 1))
	assert.False(t, ok, "an interval of one window")
}

// TestConfidenceOfFewReads: the upper end is at least that of a Poisson count, by the tables.
func TestConfidenceOfFewReads(t *testing.T) {
	for reads, most := range []float64{3.689, 5.572, 7.225} {
		windows := windowsOf(1000, make([]float64, 20)...)
		for i := range reads {
			windows[7*i].Reads = 1
		}
		lo, hi, ok := Confidence(windows)
		assert.True(t, ok)
		assert.Zero(t, lo)
		assert.InDelta(t, most/20_000, hi, 0.0005/20_000, "%d reads", reads)
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
	if share := float64(covered) / runs; share < 0.93 || share > 0.98 {
		t.Errorf("%.1f%% of the intervals contain the true mean", 100*share)
	}
}

// TestConfidenceCoversCorrelated: the windows' means are a first-order autoregressive process around 1.
func TestConfidenceCoversCorrelated(t *testing.T) {
	const runs = 4000
	for unequal, numbers := range map[bool][]int{false: {10, 20, 40, 100}, true: {20, 100}} {
		for _, n := range numbers {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			for _, rho := range []float64{0, 0.3, 0.5} {
				covered := 0
				for range runs {
					x := r.NormFloat64()
					windows := make([]Window, n)
					for i := range windows {
						gets := 1000.0
						if unequal {
							gets = math.Floor(100 + 1800*r.Float64())
						}
						windows[i] = Window{int64(gets), gets * (1 + 0.01*x)}
						x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
					}
					if lo, hi, _ := Confidence(windows); lo <= 1 && 1 <= hi {
						covered++
					}
				}
				share := float64(covered) / runs
				t.Logf("%d windows, correlation %g, unequal %v: %.1f%%", n, rho, unequal, 100*share)
				assert.Greater(t, share, 0.93, "%d windows, correlation %g, unequal %v", n, rho, unequal)
				if n >= 20 { // fewer hardly tell how correlated they are
					assert.Less(t, share, 0.98, "%d windows, correlation %g, unequal %v", n, rho, unequal)
				}
			}
		}
	}
}

// TestConfidenceOfUnequalWindows: the length of a window weighs.
func TestConfidenceOfUnequalWindows(t *testing.T) {
	lo, hi, ok := Confidence([]Window{{1000, 500}, {10, 5}, {1, 0.5}})
	assert.True(t, ok)
	assert.InDelta(t, 0.5, lo, 1e-9, "all windows agree")
	assert.InDelta(t, 0.5, hi, 1e-9)

	// Most Gets are in ten windows: the others hardly count.
	var uneven []Window
	for range 5 {
		uneven = append(uneven, Window{100_000, 50_050}, Window{100, 70}, Window{100_000, 49_950}, Window{100, 30})
	}
	lo, hi, ok = Confidence(uneven)
	assert.True(t, ok)
	assert.InDelta(t, 0.5, lo, 0.002)
	assert.InDelta(t, 0.5, hi, 0.002)

	for _, few := range [][]Window{nil, {{10, 5}}, {{0, 0}, {0, 0}}} {
		_, _, ok := Confidence(few)
		assert.False(t, ok)
	}
}

// TestWithGets: a window without Gets is none, and its reads are by Gets of its neighbours.
func TestWithGets(t *testing.T) {
	assert.Equal(t, []Window{{10, 8}, {10, 4}}, WithGets([]Window{{0, 1}, {10, 5}, {0, 2}, {}, {10, 4}}))
	_, _, ok := Confidence([]Window{{}, {1000, 947}, {}, {}, {}, {}, {}})
	assert.False(t, ok, "one window with Gets has no interval")
}
