// Package steady decides when a run of Gets is steady, meaning that further Gets would not
// change its I/Os per Get, and computes the 95% confidence interval of the mean I/Os per Get
// from the means of its windows (with package interval). Measurements and predictions share one rule.
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

// Confidence returns the 95% confidence interval of the mean over windows of equal length, by Student's t. lo is at
// least 0. The standard error is the largest of three: of the means of windows, of pairs of windows, and of groups of
// four. Neighbouring windows share a cache, and if they are correlated, the first of these is too small.
func Confidence(windows []Window) (lo, hi float64, ok bool) {
	e, ok := estimate(windows)
	if !ok {
		return 0, 0, false
	}
	e.Error = largestError(windows, func(windows []Window) float64 {
		e, _ := estimate(windows)
		return e.Error
	})
	lo, hi = e.Interval(interval.Usual)
	return max(lo, 0), hi, true
}

// Windows are merged in pairs at most mostHalvings times, as long as leastHalved remain. With fewer, the error itself is
// too uncertain.
const (
	mostHalvings = 2
	leastHalved  = 5
)

// largestError returns the largest standard error of a mean over windows, pairs and groups of four.
func largestError(windows []Window, errorOf func([]Window) float64) float64 {
	largest := errorOf(windows)
	for range mostHalvings {
		if windows = pairs(windows); len(windows) < leastHalved {
			break
		}
		largest = max(largest, errorOf(windows))
	}
	return largest
}

// pairs merges at least two windows in pairs. If their number is odd, it merges the first three.
func pairs(windows []Window) []Window {
	merged := Halve(windows)
	if len(windows)%2 == 1 {
		merged[0] = Total(windows[:3])
	}
	return merged
}

// estimate returns the mean over windows of equal length and its error, from their means. ok is false with
// fewer than two windows.
func estimate(windows []Window) (e interval.Estimate, ok bool) {
	means := make([]float64, len(windows))
	for i, w := range windows {
		means[i] = w.Mean()
	}
	return interval.Mean(means)
}

// RatioConfidence is Confidence for windows of different lengths: the interval of all reads by all
// Gets, from how far each window's reads are from what its Gets would make at that ratio. (Cochran,
// Sampling Techniques, chapter 6: the ratio estimate)
func RatioConfidence(windows []Window) (lo, hi float64, ok bool) {
	all := Total(windows)
	if len(windows) < 2 || all.Gets == 0 {
		return 0, 0, false
	}
	half := interval.Student(interval.Usual, float64(len(windows)-1)) * largestError(windows, ratioError)
	return max(all.Mean()-half, 0), all.Mean() + half, true
}

// ratioError returns the standard error of all reads by all Gets.
func ratioError(windows []Window) float64 {
	n, all := float64(len(windows)), Total(windows)
	var squares float64
	for _, w := range windows {
		off := w.Reads - all.Mean()*float64(w.Gets)
		squares += off * off
	}
	return math.Sqrt(squares*n/(n-1)) / float64(all.Gets)
}
