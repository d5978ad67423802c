package steady

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTrendOfALine: ten values that lie off a line of slope 1 by what adds up to no other line, and is not correlated, have
// three degrees of freedom and a half interval of 3.182446 * sqrt(0.08 / 8 / 82.5) for the slope.
func TestTrendOfALine(t *testing.T) {
	got, ok := TrendOf(windowsOf(1000, 1.1, 1.9, 2.9, 4.1, 4.9, 6.1, 7.1, 7.9, 9, 10), 2000)
	const half = 3.182446 * 0.01100964
	assert.True(t, ok)
	assert.InDelta(t, 2, got.Change, 1e-9)
	assert.InDelta(t, 2*(1-half), got.Lo, 1e-6)
	assert.InDelta(t, 2*(1+half), got.Hi, 1e-6)
	assert.InDelta(t, 5.5, got.Mean, 1e-9)
	_, ok = TrendOf(windowsOf(1000, 1, 2), 2000)
	assert.False(t, ok, "a line through two windows")
}

func TestTrendVerdict(t *testing.T) {
	for _, c := range []struct {
		trend Trend
		want  Verdict
	}{
		{Trend{0, -0.009, 0.009, 1}, IsSteady},
		{Trend{0, -0.011, 0.011, 1}, CannotTell},
		{Trend{0, -0.0009, 0.0009, 0.05}, IsSteady},
		{Trend{0, -0.0011, 0.0009, 0.05}, CannotTell},
		{Trend{0.02, 0.01, 0.03, 1}, IsNotSteady},
		{Trend{-0.02, -0.03, -0.01, 1}, IsNotSteady},
		{Trend{0.02, 0.005, 0.035, 1}, CannotTell}, // 4/3 of half its interval
		{Trend{0.006, 0.004, 0.008, 1}, IsSteady},  // a trend for certain, and a small one
	} {
		assert.Equal(t, c.want, c.trend.Verdict(), "%+v", c.trend)
	}
}

// TestResolution: however equal the windows are, the interval is a quarter of a per cent wide to both sides.
func TestResolution(t *testing.T) {
	windows := windowsOf(1000, 2, 2, 2, 2)
	trend, _ := TrendOf(windows, 2000)
	lo, hi, ok := trend.Confidence(windows)
	assert.True(t, ok)
	assert.InDelta(t, 1.995, lo, 1e-9)
	assert.InDelta(t, 2.005, hi, 1e-9)
}

func TestNextCheck(t *testing.T) {
	var all []int
	for n := NextCheck(0); n <= 62; n = NextCheck(n) {
		all = append(all, n)
	}
	assert.Equal(t, []int{20, 25, 31, 38, 47, 58}, all)
}

// TestStoppingIsHonest repeats runs whose length depends on what they show. Their intervals hold the
// mean about as often as they should, those that do not drift are called steady, and those whose mean
// changes by 2% to the end are not.
func TestStoppingIsHonest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const runs = 400
	for _, c := range []struct{ mean, spread, covered, steady float64 }{
		{1.5, 0.67, 0.98, 0.99}, {1, 0.67, 0.98, 0.98}, {0.5, 0.71, 0.97, 0.94}, {0.1, 0.32, 0.97, 0.5}, {0.02, 0.14, 0.98, 0.97},
	} {
		covered, steady := 0, 0
		for range runs {
			windows, verdict := stopped(r, c.mean, c.spread, 0)
			trend, _ := TrendOf(windows, float64(Total(windows).Gets)/2)
			if lo, hi, _ := trend.Confidence(windows); lo <= c.mean && c.mean <= hi {
				covered++
			}
			if verdict == IsSteady {
				steady++
			}
		}
		assert.Greater(t, float64(covered)/runs, c.covered, "intervals of the mean %v", c.mean)
		assert.Greater(t, float64(steady)/runs, c.steady, "steady runs of the mean %v", c.mean)
	}
	wrong := 0
	for range runs {
		if _, verdict := stopped(r, 1.5, 0.67, 0.04); verdict == IsSteady {
			wrong++
		}
	}
	assert.Less(t, float64(wrong)/runs, 0.01, "drifting runs that were called steady")
}

// stopped returns the windows of a run that is looked at as measure does. drift is the change of the
// mean over 20 windows.
func stopped(r *rand.Rand, mean, spread, drift float64) (windows []Window, v Verdict) {
	const gets, most = 5000, 400
	for check := FirstCheck; ; check = min(NextCheck(check), most) {
		for len(windows) < check {
			at := mean * (1 - drift*float64(len(windows))/20)
			windows = append(windows, Window{gets, gets * (at + r.NormFloat64()*spread/math.Sqrt(gets))})
		}
		trend, _ := TrendOf(windows, gets*float64(len(windows))/2)
		if v = trend.Verdict(); v != CannotTell || check == most {
			return windows, v
		}
	}
}
