package image

import (
	"math"

	"gonum.org/v1/plot"

	"getio/report/chart"
)

// span is the range of an axis; max lies above min, and both above 0 if it is logarithmic.
type span struct {
	min, max float64
	log      bool
}

// at returns how far along the axis v is, 0 to 1.
func (s span) at(v float64) float64 { return s.scale().Normalize(s.min, s.max, v) }

func (s span) scale() plot.Normalizer {
	if s.log {
		return plot.LogScale{}
	}
	return plot.LinearScale{}
}

// along returns ticks of the span on an axis from 0 to 1.
func (s span) along(ticks []plot.Tick) plot.ConstantTicks {
	placed := make(plot.ConstantTicks, len(ticks))
	for i, t := range ticks {
		placed[i] = plot.Tick{Value: s.at(t.Value), Label: t.Label}
	}
	return placed
}

func (s span) clamp(v float64) float64 { return min(max(v, s.min), s.max) }

// widened returns the span longer at both ends by a part of its length.
func (s span) widened(part float64) span {
	if s.log {
		by := math.Pow(s.max/s.min, part)
		return span{s.min / by, s.max * by, true}
	}
	by := (s.max - s.min) * part
	return span{s.min - by, s.max + by, false}
}

// around returns a span about what may be a single point.
func around(least, most float64, log bool) span {
	switch {
	case least < most:
		return span{least, most, log}
	case log:
		return span{least / 2, most * 2, true}
	case least == 0:
		return span{0, 1, false}
	}
	by := math.Abs(least) / 2
	return span{least - by, most + by, false}
}

// margin is the part of the axis left free beside the outermost points.
const margin = 0.04

func (s *scene) spanX() span {
	least, most := math.Inf(1), math.Inf(-1)
	for _, l := range s.lines {
		for _, p := range l.Points {
			least, most = min(least, p.X), max(most, p.X)
		}
	}
	for _, m := range s.chart.Marks {
		if x := s.positionX(m.X, m.Share); x != nil && near(*x, least, most) {
			least, most = min(least, *x), max(most, *x)
		}
	}
	if s.log() {
		return around(least, most, true).widened(margin)
	}
	// A linear axis begins at 0 if the points keep enough space.
	if least >= 0 && least < most {
		least = 0
	}
	wide := around(least, most, false).widened(margin)
	if least >= 0 {
		wide.min = max(wide.min, 0)
	}
	return wide
}

// near reports whether a mark is near enough to the points for the axis to reach it.
func near(x, least, most float64) bool { return x > 0 && x >= least/4 && x <= most*4 }

// lowHitRate is a hit rate below which the axis begins at 0.
const lowHitRate = 0.5

// spanY begins at 0, except for windows of runs, where hit rates are all high, and on
// logarithmic axes.
func (s *scene) spanY() span {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range s.lines {
		low, high := s.lines[i].extent()
		if s.logY() { // an interval may reach down to nothing
			low = max(low, s.lines[i].lowest()/10)
		}
		least, most = min(least, low), max(most, high)
	}
	switch {
	case s.logY():
		return around(least, most, true).widened(margin)
	case s.chart.Y.Unit == chart.HitRate && least >= lowHitRate:
		return span{lowHitRate, max(1, most) * (1 + margin), false}
	case s.chart.Y.Unit == chart.HitRate:
		return span{min(0, least), max(1, most) * (1 + margin), false}
	case s.chart.Y.Unit == chart.ShareOfGets:
		return span{0, 1 + margin, false}
	case s.chart.X.Unit == chart.Gets:
		return around(least, most, false).widened(2 * margin)
	}
	if most <= 0 {
		most = max(most, 0)
		return around(min(0, least), most, false)
	}
	return span{min(0, least), most * (1 + 2*margin), false}
}
