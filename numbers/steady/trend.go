package steady

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"getio/numbers/interval"
)

// Trend is what a line through all windows of a run makes of its mean over a number of Gets, with its
// 95% confidence interval.
type Trend struct {
	Change float64 // reads per Get; negative while I/Os per Get fall
	Lo, Hi float64
	Mean   float64 // reads per Get of the windows
}

// TrendOf returns the trend over a number of Gets. ok is false with fewer than three windows, whose
// lengths must be equal.
func TrendOf(windows []Window, over float64) (t Trend, ok bool) {
	n := len(windows)
	if n < 3 {
		return t, false
	}
	x, y := make([]float64, n), make([]float64, n)
	for i, w := range windows {
		x[i], y[i] = float64(i), w.Mean()
	}
	alpha, slope := stat.LinearRegression(x, y, nil, false)
	off := make([]float64, n)
	for i := range x {
		off[i] = y[i] - alpha - slope*x[i]
	}
	variance, freedom := meanVariance(off, 2, 1)
	spread := (float64(n)*float64(n) - 1) / 12 // of x around its mean, squared
	half := interval.Student(interval.Usual, freedom) * math.Sqrt(variance/spread)
	scale := over / (float64(Total(windows).Gets) / float64(n))
	return Trend{slope * scale, (slope - half) * scale, (slope + half) * scale, Total(windows).Mean()}, true
}

// resolution is the smallest half interval of a run that finds its own length, as a share of its mean.
// The cold blocks of a cache near IP2 become hot, and hot ones cold, in cycles that are longer than such
// a run, so that its windows differ less than further Gets would: results/intervals.md says by how much.
const resolution = 0.0025

// LeastError returns the smallest standard error of a run's mean, whatever its windows give: half of the 95%
// interval is then the resolution, but for Student's t. A part of the reads, such as those of one component, may
// be all that the cycles change, so its error is no smaller than that of all reads per Get.
func LeastError(readsPerGet float64) float64 { return resolution * readsPerGet / 1.96 }

// Confidence returns the 95% confidence interval of the mean that further Gets would give: that of the
// windows, that of the mean to which the trend leads, and no less than the resolution.
func (t Trend) Confidence(windows []Window) (lo, hi float64, ok bool) {
	lo, hi, ok = Confidence(windows)
	half := math.Hypot((hi-lo)/2, (t.Hi-t.Lo)/2)
	end, least := t.Mean+t.Change, resolution*t.Mean
	return max(min(lo, end-half, t.Mean-least), 0), max(hi, end+half, t.Mean+least), ok
}

// Verdict is whether a run is steady.
type Verdict int

const (
	CannotTell Verdict = iota // the interval of the trend holds both
	IsSteady
	IsNotSteady
)

// certain is how many times its half interval a change must be to be no chance.
const certain = 1.5

// Verdict returns IsSteady if every trend within the interval changes the mean by less than the steady
// rule allows, 1% or 0.001 reads per Get; IsNotSteady if it is changed by more, and by so much more than chance
// explains that looking several times does not matter: one and a half times the interval, about three
// standard errors.
func (t Trend) Verdict() Verdict {
	limit := max(MaxRelative*t.Mean, MaxReads)
	switch {
	case -limit < t.Lo && t.Hi < limit:
		return IsSteady
	case math.Abs(t.Change) >= max(limit, certain*(t.Hi-t.Lo)/2):
		return IsNotSteady
	}
	return CannotTell
}

// Checkpoints of a run whose length depends on its windows. There are few of them, each a quarter
// further than the one before, so that looking at a run several times hardly makes its interval too
// short: results/intervals.md states how often it holds the mean.
const (
	FirstCheck    = 20 // windows
	checksFurther = 4  // one in so many windows
)

// NextCheck returns the number of windows at which a run is looked at after n.
func NextCheck(n int) int {
	if n < FirstCheck {
		return FirstCheck
	}
	return n + max(n/checksFurther, 1)
}
