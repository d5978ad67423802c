package measure

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"getio/lsm"
)

// steadyWindows is how many windows the line is drawn through, and
// steadyDrift what it may move the mean by, over all Gets made so far.
const (
	steadyWindows = 5
	steadyDrift   = 0.01
)

// minWindowGets is the least number of Gets of a window that drift is read
// from: enough for each second-level index block to be asked for about every
// other window, without which a slow filling of the cache looks like rest.
func minWindowGets(s *lsm.Shape) int64 {
	t := s.Total()
	return max(20_000, (t.IndexBlocks+t.Tables)/2)
}

// window is a run of consecutive Gets and the reads they made.
type window struct {
	gets  int64
	reads int64
}

func (w window) mean() float64 { return float64(w.reads) / float64(w.gets) }

func total(windows []window) (t window) {
	for _, w := range windows {
		t.gets += w.gets
		t.reads += w.reads
	}
	return t
}

// drift draws a line through the last five windows and tells by how much it
// changes the mean over gets Gets, as a fraction of their mean: negative while
// I/Os per Get fall. windows are merged to five of equal length, of at least
// minGets each; ok is false if there are too few Gets for that.
func drift(windows []window, minGets, gets int64) (change float64, ok bool) {
	merged := mergeLast(windows, steadyWindows)
	if merged == nil || merged[0].gets < minGets {
		return 0, false
	}
	x := make([]float64, len(merged))
	y := make([]float64, len(merged))
	for i, w := range merged {
		x[i], y[i] = float64(i), w.mean()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	mean := total(merged).mean()
	if mean == 0 {
		return 0, true
	}
	perGet := slope / float64(merged[0].gets)
	return perGet * float64(gets) / mean, true
}

// steady is the rule that a run has come to rest by.
func steady(change float64) bool { return math.Abs(change) < steadyDrift }

// lastWindows are the last n windows, or as many more as it takes for five of
// the least length. Windows are equally long, but for a Get or two.
func lastWindows(windows []window, n int, minGets int64) []window {
	for n < len(windows) && (n%steadyWindows != 0 || int64(n)*windows[0].gets < steadyWindows*minGets) {
		n++
	}
	return windows[len(windows)-n:]
}

// mergeLast merges the last windows into n of equal numbers of windows each,
// leaving out the first ones that do not fit. It returns nil if there are
// fewer than n.
func mergeLast(windows []window, n int) []window {
	each := len(windows) / n
	if each == 0 {
		return nil
	}
	windows = windows[len(windows)-n*each:]
	merged := make([]window, n)
	for i := range merged {
		merged[i] = total(windows[i*each : (i+1)*each])
	}
	return merged
}

// halve merges windows by twos, so that a long warm-up keeps a bounded number
// of them; a first one that is left over is dropped.
func halve(windows []window) []window {
	return mergeLast(windows[len(windows)%2:], len(windows)/2)
}

// confidence is the 95% confidence interval of the mean, which is not below 0,
// over windows of equal length, by Student's t over the windows' means: neighbouring Gets are not
// independent, since they share a cache, but windows this long nearly are.
func confidence(windows []window) (lo, hi float64, ok bool) {
	n := len(windows)
	if n < 2 {
		return 0, 0, false
	}
	means := make([]float64, n)
	for i, w := range windows {
		means[i] = w.mean()
	}
	mean, sd := stat.MeanStdDev(means, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	half := t * sd / math.Sqrt(float64(n))
	return max(mean-half, 0), mean + half, true
}
