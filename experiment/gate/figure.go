package gate

import (
	"math"

	"getio/numbers/interval"
	"getio/numbers/steady"
	"getio/record"
	"getio/tree/readpath"
)

// figure is one figure of a run, per Get. Its error is the standard error of its windows, at least the resolution.
type figure struct {
	metric string
	interval.Estimate
	windows    float64 // standard error
	resolution float64 // as a standard error
	gets       int64
}

// newFigure estimates a figure from its values in each window. The resolution is a share of all reads per Get
// or, of bytes, of all bytes per Get.
func newFigure(metric string, gets int64, values []float64, perGet float64) figure {
	e, _ := interval.Mean(values)
	f := figure{metric: metric, Estimate: e, windows: e.Error, resolution: steady.LeastError(perGet), gets: gets}
	f.Error = max(f.windows, f.resolution)
	return f
}

// rough reports whether the standard error is more than a quarter of the figure, or the figure is 0. The
// logarithm of such a figure has no useful interval: of one that fell to nearly nothing, it would allow any rise.
func (f figure) rough() bool { return 4*f.Error > f.Mean || f.Mean == 0 }

// ofOneGet is the figure with the error that windows of one Get in all would have.
func (f figure) ofOneGet() figure {
	f.Error = f.windows * math.Sqrt(float64(f.gets))
	return f
}

// resolved is the figure with the smallest error that any number of Gets gives.
func (f figure) resolved() figure {
	f.Error = f.resolution
	return f
}

// figures returns the figures of the last run of a record: I/Os per Get, and the bytes and the reads of each
// component where the record has them by window. It returns none with fewer than two windows.
func figures(r *record.Result) []figure {
	io, gets, components, bytes := r.Last(), r.Workload.Gets, r.Components, r.BytesWindows
	if more := len(r.Continued); more > 0 {
		last := r.Continued[more-1]
		gets, components, bytes = last.Gets, last.Components, last.BytesWindows
	}
	n := len(io.Windows)
	if n < 2 || gets < int64(n) {
		return nil
	}
	all := []figure{newFigure(record.MetricIOs, gets, io.Windows, io.Mean)}
	if len(bytes) != n {
		return all
	}
	all = append(all, newFigure(record.MetricBytes, gets, perGet(bytes, gets, n), mean(bytes, gets)))
	for _, c := range readpath.Components() {
		all = append(all, newFigure(c.String(), gets, perGet(components[c.String()].Windows, gets, n), io.Mean))
	}
	return all
}

// perGet divides the counts of n windows by their Gets, which are as equal as can be: the first i of them have
// i/n of all, rounded down. Without counts, as of a component that was not read, the values are 0.
func perGet(counts []int64, gets int64, n int) []float64 {
	values := make([]float64, n)
	each, rest := gets/int64(n), gets%int64(n)
	for i, count := range counts {
		more := int64(i+1)*rest/int64(n) - int64(i)*rest/int64(n)
		values[i] = float64(count) / float64(each+more)
	}
	return values
}

func mean(counts []int64, gets int64) float64 {
	var sum int64
	for _, count := range counts {
		sum += count
	}
	return float64(sum) / float64(gets)
}
