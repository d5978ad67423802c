package chart

import (
	"fmt"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// reads charts the share of Gets that made n reads or more, with one line for each cache size.
func reads(i int, curve *study.Curve) Chart {
	of := curve.Operation()
	c := Chart{
		Name: "reads", Title: "Reads of single " + of.Many + ", " + curve.Name, Curve: &i,
		Note: fmt.Sprintf("One line for each cache size: the share of the %s that made at least that many reads. From 1 on, the points of a line add up to its I/Os per %s.", of.Many, of.One),
		X:    Axis{Label: "reads, or more", Unit: Reads},
		Y:    Axis{Label: "share of the " + of.Many, Unit: ShareOfGets},
	}
	for _, r := range curve.Runs {
		d := r.Distribution
		if d == nil {
			continue
		}
		var points []Point
		for n := range d.Histogram {
			points = append(points, Point{X: float64(n), Y: d.AtLeast(n)})
		}
		c.line(Line{Name: units.Size(r.Cache.Bytes), Kind: Measured, Curve: &i, Colour: len(c.Lines), Points: points})
	}
	return c
}

// percentiles are the lines of a chart of latencies.
var percentiles = []struct {
	name string
	of   func(record.Times) float64
}{
	{"p50", func(t record.Times) float64 { return t.P50 }},
	{"p90", func(t record.Times) float64 { return t.P90 }},
	{"p99", func(t record.Times) float64 { return t.P99 }},
	{"p99.9", func(t record.Times) float64 { return t.P999 }},
}

// latency charts the latency of Gets over cache sizes.
func latency(i int, curve *study.Curve) Chart {
	of := curve.Operation()
	c := Chart{
		Name: "latency", Title: "Latency of " + of.Many + ", " + curve.Name, Curve: &i,
		Note: fmt.Sprintf("The time that 50%%, 90%%, 99%% and 99.9%% of the %[1]s do not exceed, from a %[2]s's call to its return, or, where %[1]s were due at a rate, from then on. Times are this machine's.", of.Many, of.One),
		X:    Axis{Label: "block cache", Unit: CacheBytes, Log: true},
		Y:    Axis{Label: "microseconds", Unit: Microseconds, Log: true},
	}
	for colour, percentile := range percentiles {
		points := over(curve.Runs, func(r *record.Result) (Point, bool) {
			if r.Latency == nil {
				return Point{}, false
			}
			y := percentile.of(r.Latency.Times)
			return Point{Y: y}, y > 0
		})
		c.line(Line{Name: percentile.name, Kind: Measured, Curve: &i, Colour: colour, Points: points})
	}
	if len(c.Lines) > 0 && curve.Shape() != nil {
		c.Marks = inflectionPoints(i, curve)
	}
	return c
}
