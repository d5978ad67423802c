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

// The smallest limits of a rise, however small the figure is: the reads per Get by which a steady run may drift,
// and as many bytes for reads of 4 KiB.
const (
	leastReads float64 = steady.MaxReads
	leastBytes float64 = 4
)

// pair is one figure of both runs.
type pair struct{ base, side figure }

// pairsOf returns the figures that both runs have. Components that neither run read are left out.
func pairsOf(base, side *record.Result) (pairs []pair) {
	of := map[string]figure{}
	for _, f := range figures(side) {
		of[f.metric] = f
	}
	for _, b := range figures(base) {
		s, known := of[b.metric]
		if known && (b.metric == record.MetricIOs || b.Mean > 0 || s.Mean > 0) {
			pairs = append(pairs, pair{b, s})
		}
	}
	return pairs
}

// judge returns the verdict on a figure. That it rose takes the given confidence; that it did not, the usual one.
func (p pair) judge(confidence, maxRise float64) record.GateFigure {
	f := record.GateFigure{Metric: p.base.metric, Base: p.base.Mean, New: p.side.Mean, Limit: maxRise}
	floor := leastReads
	if f.Metric == record.MetricBytes {
		floor = leastBytes
	}
	limit, fall, scale := math.Log1p(maxRise), math.Log1p(-min(maxRise, 1)), math.Expm1
	if f.PerGet = maxRise*f.Base < floor || p.base.rough() || p.side.rough(); f.PerGet {
		f.Limit = max(maxRise*f.Base, floor)
		limit, fall, scale = f.Limit, -f.Limit, func(v float64) float64 { return v }
	}
	rise := p.rise(f.PerGet)
	lo, hi := rise.Interval(interval.Usual)
	atLeast, atMost := rise.Interval(confidence)
	switch {
	case atLeast > limit:
		f.Verdict = record.GateRise
	case atMost < fall:
		f.Verdict = record.GateFall
	case hi <= limit:
		f.Verdict = record.GateNone
	case rise.Mean > limit:
		f.Verdict, f.GetsNeeded = record.GateCannotTell, p.getsNeeded(confidence, rise.Mean-limit, f.PerGet)
	default:
		f.Verdict, f.GetsNeeded = record.GateCannotTell, p.getsNeeded(interval.Usual, limit-rise.Mean, f.PerGet)
	}
	f.Rise, f.CI95, f.AtLeast = scale(rise.Mean), [2]float64{scale(lo), scale(hi)}, scale(atLeast)
	return f
}

// rise estimates the new figure less the base's or, of figures that are not rough, the logarithm of their ratio.
func (p pair) rise(perGet bool) interval.Estimate {
	if perGet {
		return p.side.Minus(p.base.Estimate)
	}
	return p.side.Log().Minus(p.base.Log())
}

const (
	// mostNeeded is the largest number of Gets that is worth proposing.
	mostNeeded = 1e9
	// power is the standard errors that must lie between a rise and the end of its interval at the limit, so
	// that nine in ten pairs of runs give a verdict.
	power = 1.2816
)

// getsNeeded returns about how many Gets both runs need for an interval that does not reach from a rise to the
// limit, with a gap between them. It returns 0 if no number suffices: the rise is as near to the limit as the
// resolution of runs, or nearly so.
func (p pair) getsNeeded(confidence, gap float64, perGet bool) int64 {
	if (pair{p.base.resolved(), p.side.resolved()}).rise(perGet).HalfWidth(confidence) >= gap {
		return 0
	}
	one := pair{p.base.ofOneGet(), p.side.ofOneGet()}.rise(perGet)
	root := (interval.Student(confidence, one.Freedom) + power) * one.Error / gap
	if root*root > mostNeeded {
		return 0
	}
	return roundUp(root * root)
}

// roundUp rounds a number of Gets up to two digits.
func roundUp(gets float64) int64 {
	unit := math.Pow(10, max(math.Floor(math.Log10(gets))-1, 0))
	return int64(math.Ceil(gets/unit) * unit)
}
