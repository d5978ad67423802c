package image

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

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

// spanY begins at 0, except for windows of runs, where hit rates are all high, and on logarithmic axes.
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

// mostTicks is as many as a reader takes in.
const mostTicks = 10

// fewestTicks show that an axis is logarithmic.
const fewestTicks = 3

// tickSteps is round places on an axis: the multiples of a step, or the powers of a base times each of the factors.
type tickSteps struct {
	step float64   // 0 of a logarithmic ladder
	base float64   // of a logarithmic ladder
	of   []float64 // the places from 1 up to the base
}

// ticksWithin returns the places within a span; nil if they are too many.
func (l tickSteps) ticksWithin(s span) (rungs []float64) {
	if l.step > 0 {
		if (s.max-s.min)/l.step > mostTicks {
			return nil
		}
		first := math.Ceil(s.min / l.step)
		for n := range mostTicks + 1 {
			if rung := (first + float64(n)) * l.step; rung <= s.max {
				rungs = append(rungs, rung)
			}
		}
		return rungs
	}
	for power := math.Floor(math.Log(s.min) / math.Log(l.base)); len(rungs) <= mostTicks; power++ {
		for _, step := range l.of {
			rung := step * math.Pow(l.base, power)
			if rung > s.max {
				return rungs
			}
			if rung >= s.min {
				rungs = append(rungs, rung)
			}
		}
	}
	return nil
}

// stepChoices returns the round places for a unit, the finest first.
func stepChoices(s span, unit chart.Unit) (all []tickSteps) {
	if s.log && unit == chart.CacheBytes {
		all = append(all, tickSteps{base: 2, of: []float64{1, 1.5}})
		for _, doublings := range []float64{1, 2, 3, 5, 10, 20} {
			all = append(all, tickSteps{base: math.Exp2(doublings), of: []float64{1}})
		}
	} else if s.log {
		all = append(all, tickSteps{base: 10, of: []float64{1, 1.5, 2, 3, 5, 7}}, tickSteps{base: 10, of: []float64{1, 2, 5}})
		for _, decades := range []float64{1, 2, 3, 6} {
			all = append(all, tickSteps{base: math.Pow(10, decades), of: []float64{1}})
		}
	}
	return all
}

// steps returns places with even distances, the finest first.
func steps(s span, unit chart.Unit) (all []tickSteps) {
	length := s.max - s.min
	if unit == chart.CacheBytes {
		for power := math.Floor(math.Log2(length / (2 * mostTicks))); math.Exp2(power) <= length; power++ {
			all = append(all, tickSteps{step: math.Exp2(power)})
		}
		return all
	}
	finest := math.Floor(math.Log10(length / (10 * mostTicks)))
	if unit == chart.Reads || unit == chart.Level0Tables { // whole numbers
		finest = max(finest, 0)
	}
	for power := finest; math.Pow(10, power) <= length; power++ {
		for _, n := range []float64{1, 2, 5} {
			all = append(all, tickSteps{step: n * math.Pow(10, power)})
		}
	}
	return all
}

// ticks returns the finest round places along an axis whose labels do not overlap. space
// is how much of the axis a label takes, with a gap.
func ticks(s span, unit chart.Unit, space func(label string) float64) []plot.Tick {
	if t := finest(s, unit, stepChoices(s, unit), space); len(t) >= fewestTicks {
		return t
	}
	return finest(s, unit, steps(s, unit), space)
}

func finest(s span, unit chart.Unit, all []tickSteps, space func(string) float64) []plot.Tick {
	for _, l := range all {
		var t []plot.Tick
		for _, rung := range l.ticksWithin(s) {
			t = append(t, plot.Tick{Value: rung, Label: label(rung, l.step, unit)})
		}
		if len(t) > 0 && len(t) <= mostTicks && apart(s, t, space) {
			return t
		}
	}
	return nil
}

// apart reports whether labels do not overlap.
func apart(s span, t []plot.Tick, space func(string) float64) bool {
	for i := 1; i < len(t); i++ {
		if s.at(t[i].Value)-s.at(t[i-1].Value) < (space(t[i].Label)+space(t[i-1].Label))/2 {
			return false
		}
	}
	return true
}

// label writes a round figure; step is the distance to the next, 0 if distances differ.
func label(v, step float64, unit chart.Unit) string {
	switch unit {
	case chart.CacheBytes:
		return scaled(v, 1024, " ", []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"})
	case chart.Keys, chart.Gets:
		return scaled(v, 1000, "", []string{"", "k", "M", "G", "T", "P"})
	case shareOfDatabase:
		return short(100*v) + "%"
	}
	if step == 0 && math.Abs(v) < 1000 {
		return short(v) // as many decimals as it has
	}
	decimals := 0
	if step > 0 && step < 1 {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	if decimals > 4 || math.Abs(v) >= 1e6 {
		return short(v)
	}
	return strconv.FormatFloat(v+0, 'f', decimals, 64) // +0: no minus before a zero
}

// shareOfDatabase is the unit of an axis of caches with View.Share.
const shareOfDatabase chart.Unit = "share_of_db"

func scaled(v, base float64, gap string, units []string) string {
	if v == 0 {
		return "0"
	}
	unit := 0
	for ; math.Abs(v) >= base && unit < len(units)-1; unit++ {
		v /= base
	}
	return short(v) + gap + units[unit]
}

// short writes a figure with up to five digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// spaceAlong returns how much of an axis of a length a text takes, with a gap.
func spaceAlong(length, gap vg.Length, of func(string) vg.Length) func(string) float64 {
	return func(label string) float64 { return float64((of(label) + gap) / length) }
}
