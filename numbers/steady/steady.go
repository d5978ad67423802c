// Package steady decides when a run of Gets is steady, meaning that further Gets would not
// change its I/Os per Get, and computes the 95% confidence interval of the mean I/Os per Get
// from its windows (with package interval). Measurements and predictions share one rule.
package steady

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"getio/numbers/interval"
)

// Windows is the number of windows to which the line of a drift is fitted.
const Windows = 5

// A run is steady if its drift is below MaxRelative of its mean or below MaxReads per Get. For a mean
// of 0.01, 1% would be less than the noise of any affordable run.
const (
	MaxRelative = 0.01
	MaxReads    = 0.001
)

// Window is a run of consecutive Gets and the reads they made.
type Window struct {
	Gets  int64
	Reads float64
}

// Mean returns the window's reads per Get.
func (w Window) Mean() float64 { return w.Reads / float64(w.Gets) }

// Total merges all windows into one.
func Total(windows []Window) (t Window) {
	for _, w := range windows {
		t.Gets += w.Gets
		t.Reads += w.Reads
	}
	return t
}

// Drift is the change of I/Os per Get over all Gets so far, extrapolated from a line
// through the last five windows.
type Drift struct {
	Relative float64 // as a fraction of Mean; negative while I/Os per Get fall
	Mean     float64 // reads per Get of these windows
}

// Steady reports whether the drift is small enough for the run to be steady.
func (d Drift) Steady() bool {
	return math.Abs(d.Relative) < MaxRelative || math.Abs(d.Relative*d.Mean) < MaxReads
}

// DriftOf returns the drift after gets Gets. It merges the last windows into five of equal
// length; ok is false if they have fewer than minGets Gets each.
func DriftOf(windows []Window, minGets, gets int64) (d Drift, ok bool) {
	merged := mergeLast(windows, Windows)
	if merged == nil || merged[0].Gets < minGets {
		return Drift{}, false
	}
	x := make([]float64, len(merged))
	y := make([]float64, len(merged))
	for i, w := range merged {
		x[i], y[i] = float64(i), w.Mean()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	mean := Total(merged).Mean()
	if mean == 0 {
		return Drift{}, true
	}
	perGet := slope / float64(merged[0].Gets)
	return Drift{Relative: perGet * float64(gets) / mean, Mean: mean}, true
}

// Last returns the last n windows, or more if five windows of at least minGets Gets need
// them. The lengths of windows differ by a Get or two at most.
func Last(windows []Window, n int, minGets int64) []Window {
	for n < len(windows) && (n%Windows != 0 || int64(n)*windows[0].Gets < Windows*minGets) {
		n++
	}
	return windows[len(windows)-n:]
}

// mergeLast merges windows into n windows, each from the same number of old ones. It drops the
// first windows if the number is not divisible, and returns nil if there are fewer than n.
func mergeLast(windows []Window, n int) []Window {
	each := len(windows) / n
	if each == 0 {
		return nil
	}
	windows = windows[len(windows)-n*each:]
	merged := make([]Window, n)
	for i := range merged {
		merged[i] = Total(windows[i*each : (i+1)*each])
	}
	return merged
}

// Halve merges windows in pairs, which bounds their number in a long warm-up. It drops the
// first window if their number is odd.
func Halve(windows []Window) []Window {
	return mergeLast(windows[len(windows)%2:], len(windows)/2)
}

// Confidence returns the 95% confidence interval of all reads by all Gets; lo is at least 0. ok is false with fewer than
// two windows that have Gets.
func Confidence(windows []Window) (lo, hi float64, ok bool) {
	e, ok := Estimate(windows)
	if !ok {
		return 0, 0, false
	}
	lo, hi = e.Interval(interval.Usual)
	return max(lo, 0), hi, true
}

// WithGets merges each window without Gets into the one before it, or into the first: it says nothing of a Get, and its
// reads are by Gets of its neighbours.
func WithGets(windows []Window) (some []Window) {
	var before float64
	for _, w := range windows {
		switch {
		case w.Gets > 0:
			some = append(some, Window{w.Gets, w.Reads + before})
			before = 0
		case len(some) > 0:
			some[len(some)-1].Reads += w.Reads
		default:
			before += w.Reads
		}
	}
	return some
}

// Estimate estimates all reads by all Gets. ok is false with fewer than two windows that have Gets.
//
// The error is that of a ratio, from how far each window's reads are from what its Gets would make at the mean (Cochran,
// Sampling Techniques, chapter 6), and grows with the correlation of neighbouring windows, which share a cache. If there
// are fewer reads than windows, it is at least that of a Poisson count.
func Estimate(windows []Window) (e interval.Estimate, ok bool) {
	windows = WithGets(windows)
	n, all := float64(len(windows)), Total(windows)
	if n < 2 || all.Gets == 0 {
		return e, false
	}
	e.Mean = all.Mean()
	off := make([]float64, len(windows))
	var squares float64 // of Gets
	for i, w := range windows {
		off[i] = w.Reads - e.Mean*float64(w.Gets)
		squares += float64(w.Gets) * float64(w.Gets)
	}
	variance, freedom := meanVariance(off, 1, float64(all.Gets)/n*float64(all.Gets)/squares)
	e.Error, e.Freedom = n*math.Sqrt(variance)/float64(all.Gets), freedom
	if all.Reads < n {
		few := interval.MostExpected(all.Reads) - all.Reads
		e.Error = max(e.Error, few/float64(all.Gets)/interval.Student(interval.Usual, freedom))
	}
	return e, true
}

const (
	leastCorrelated = 8   // values; the correlation of fewer is not known
	mostCorrelation = 0.8 // of neighbours, that is corrected for
)

// meanVariance returns the variance of the mean of a first-order autoregressive process, and its degrees of freedom, from
// how far its values are from a fit with so many parameters, 1 or 2. evenness is 1 unless the values are products of the
// process and of lengths: then their squared mean by the mean of their squares.
//
// The estimated correlation of neighbours is freed of its bias (Marriott and Pope, Biometrika 41, 1954) and is at least
// 0. Its own error is as large as that of the variance: the logarithm of the corrected variance has one of 2/n + 4/n, or
// less where negative correlations are cut off. So there are not n-1 degrees of freedom but a little more than a third.
func meanVariance(off []float64, parameters int, evenness float64) (variance, freedom float64) {
	n := float64(len(off))
	var squares, products float64
	for i, o := range off {
		squares += o * o
		if i > 0 {
			products += o * off[i-1]
		}
	}
	factor := 1.0 // by which the correlation multiplies the variance of the mean
	if len(off) >= leastCorrelated && squares > 0 {
		r := (n*products/squares/evenness + float64(parameters)) / (n - 4)
		r = min(max(r, 0), mostCorrelation)
		factor += evenness * 2 * r / (1 - r) * (1 - (1-math.Pow(r, n))/(n*(1-r)))
		factor = min(factor, n/2)
	}
	freedom = max(3./8*(n*evenness-float64(parameters)), 1)
	return squares / (n - factor - float64(parameters-1)) * factor / n, freedom
}
