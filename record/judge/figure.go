package judge

import (
	"math"

	"getio/numbers/interval"
	"getio/numbers/steady"
	"getio/record"
)

// figure is one figure of a run, per Get. Its error is the standard error of its windows, at least the resolution.
type figure struct {
	metric string
	interval.Estimate
	windows    float64 // standard error
	resolution float64 // as a standard error
	gets       int64
}

// newFigure estimates a figure from its windows. The resolution is a share of all reads per Get or, of bytes, of all
// bytes per Get.
func newFigure(metric string, windows []steady.Window, perGet float64) figure {
	e, _ := steady.Estimate(windows)
	f := figure{metric: metric, Estimate: e, windows: e.Error, resolution: steady.LeastError(perGet), gets: steady.Total(windows).Gets}
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
	r = r.LastPart()
	windows := Windows(&r.IOsPerGet, r.Workload.Gets)
	if len(windows) < 2 {
		return nil
	}
	all := []figure{newFigure(record.MetricIOs, windows, r.IOsPerGet.Mean)}
	if len(r.BytesWindows) != len(windows) {
		return all
	}
	of := counted(windows, r.BytesWindows)
	all = append(all, newFigure(record.MetricBytes, of, steady.Total(of).Mean()))
	for _, c := range record.ComponentNames {
		all = append(all, newFigure(c, counted(windows, r.Components[c].Windows), r.IOsPerGet.Mean))
	}
	return all
}

// counted returns windows with other counts; without counts, as of a component that was not read, with 0.
func counted(windows []steady.Window, counts []int64) []steady.Window {
	of := make([]steady.Window, len(windows))
	for i, w := range windows {
		of[i].Gets = w.Gets
		if i < len(counts) {
			of[i].Reads = float64(counts[i])
		}
	}
	return of
}
