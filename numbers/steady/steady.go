// Package steady says when a run of Gets has come to rest: when going on would not
// change its I/Os per Get any more. Measurements and predictions go by the same
// rule.
package steady

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Windows is how many windows the line is drawn through, and maxDrift what it may
// move the mean by, over all Gets made so far.
const (
	Windows  = 5
	maxDrift = 0.01
)

// Window is a run of consecutive Gets and the reads they made.
type Window struct {
	Gets  int64
	Reads float64
}

// Mean is the window's reads per Get.
func (w Window) Mean() float64 { return w.Reads / float64(w.Gets) }

// Total is all windows as one.
func Total(windows []Window) (t Window) {
	for _, w := range windows {
		t.Gets += w.Gets
		t.Reads += w.Reads
	}
	return t
}

// Drift draws a line through the last five windows and tells by how much it
// changes the mean over gets Gets, as a fraction of their mean: negative while
// I/Os per Get fall. windows are merged to five of equal length, of at least
// minGets each; ok is false if there are too few Gets for that.
func Drift(windows []Window, minGets, gets int64) (change float64, ok bool) {
	merged := mergeLast(windows, Windows)
	if merged == nil || merged[0].Gets < minGets {
		return 0, false
	}
	x := make([]float64, len(merged))
	y := make([]float64, len(merged))
	for i, w := range merged {
		x[i], y[i] = float64(i), w.Mean()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	mean := Total(merged).Mean()
	if mean == 0 {
		return 0, true
	}
	perGet := slope / float64(merged[0].Gets)
	return perGet * float64(gets) / mean, true
}

// Is is the rule that a run has come to rest by.
func Is(change float64) bool { return math.Abs(change) < maxDrift }

// Last are the last n windows, or as many more as it takes for five of
// the least length. Windows are equally long, but for a Get or two.
func Last(windows []Window, n int, minGets int64) []Window {
	for n < len(windows) && (n%Windows != 0 || int64(n)*windows[0].Gets < Windows*minGets) {
		n++
	}
	return windows[len(windows)-n:]
}

// mergeLast merges the last windows into n of equal numbers of windows each,
// leaving out the first ones that do not fit. It returns nil if there are
// fewer than n.
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

// Halve merges windows by twos, so that a long warm-up keeps a bounded number
// of them; a first one that is left over is dropped.
func Halve(windows []Window) []Window {
	return mergeLast(windows[len(windows)%2:], len(windows)/2)
}

// Confidence is the 95% confidence interval of the mean, which is not below 0,
// over windows of equal length, by Student's t over the windows' means: neighbouring Gets are not
// independent, since they share a cache, but windows this long nearly are.
func Confidence(windows []Window) (lo, hi float64, ok bool) {
	n := len(windows)
	if n < 2 {
		return 0, 0, false
	}
	means := make([]float64, n)
	for i, w := range windows {
		means[i] = w.Mean()
	}
	mean, sd := stat.MeanStdDev(means, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	half := t * sd / math.Sqrt(float64(n))
	return max(mean-half, 0), mean + half, true
}
