package judge

import (
	"math"

	"getio/numbers/steady"
	"getio/record"
)

// IOsPerGet returns the mean and interval of the windows of a run.
func IOsPerGet(windows []steady.Window) record.IOsPerGet {
	all := steady.Total(windows)
	io := record.IOsPerGet{Mean: all.Mean(), WindowGets: all.Gets / int64(len(windows))}
	for _, w := range windows {
		io.Windows = append(io.Windows, w.Mean())
	}
	if lo, hi, ok := steady.Confidence(windows); ok {
		io.CI95 = &[2]float64{lo, hi}
	}
	return io
}

// Windows returns the windows of a run of so many Gets, which are as equal as can be: the first i of n have i/n of all,
// rounded down. It returns none if there are fewer Gets than windows.
func Windows(io *record.IOsPerGet, gets int64) (windows []steady.Window) {
	n := int64(len(io.Windows))
	if gets < n {
		return nil
	}
	each, rest := int64(0), int64(0)
	if n > 0 {
		each, rest = gets/n, gets%n
	}
	for i, mean := range io.Windows {
		more := int64(i+1)*rest/n - int64(i)*rest/n
		windows = append(windows, steady.Window{Gets: each + more, Reads: math.Round(mean * float64(each+more))})
	}
	return windows
}

// Steadiness sets whether the run is steady after gets Gets in all. windows are its last
// ones; merged to five, each has at least minGets Gets.
func Steadiness(io *record.IOsPerGet, windows []steady.Window, minGets, gets int64) {
	if drift, ok := steady.DriftOf(windows, minGets, gets); ok {
		io.Drift, io.Steady = new(drift.Relative), new(drift.Steady())
	}
}
