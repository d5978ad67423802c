package chart

import (
	"fmt"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// misses charts the reads per Get of one curve by component, stacked.
func misses(i int, curve *study.Curve) Chart {
	of := curve.Operation()
	c := Chart{
		Name: "misses", Title: "Reads per " + of.One + " by component, " + curve.Name, Curve: &i, Stacked: true,
		Note: "Reads by component; stacked, they add up to the I/Os per " + of.One + ".",
		X:    Axis{Label: "block cache", Unit: CacheBytes, Log: true},
		Y:    Axis{Label: "reads per " + of.One, Unit: IOsPerGet},
	}
	// From the bottom: what every Get needs comes first. Blob is last, so that the others keep their colours.
	order := []string{record.Data, record.Index, record.TopIndex, record.Filter, record.TableOpen, record.Other, record.Blob}
	for colour, component := range order {
		name := component
		var any int64
		points := over(curve.Runs, func(r *record.Result) (Point, bool) {
			c, known := r.Components[name]
			any += c.Misses
			return Point{Y: float64(c.Misses) / float64(r.Workload.Gets), Steady: r.IOsPerGet.Steady}, known
		})
		if any > 0 {
			c.line(Line{Name: componentWords[component], Kind: Measured, Curve: &i, Colour: colour, Points: points})
		}
	}
	c.Marks = inflectionPoints(i, curve)
	return c
}

var componentWords = map[string]string{
	record.Data: "data blocks", record.Index: "index blocks", record.TopIndex: "top indexes",
	record.Filter: "filters", record.TableOpen: "opening tables", record.Other: "other",
	record.Blob: "values in blob files",
}

// windows charts the windows of every run of a curve in their order: whether and where it becomes steady.
func windows(i int, curve *study.Curve) Chart {
	of := curve.Operation()
	c := Chart{
		Name: "windows", Title: "I/Os per " + of.One + " in the course of each run, " + curve.Name, Curve: &i,
		Note: fmt.Sprintf("One line for each cache size; a point is the mean of one window of %[1]s, at the %[1]s made since the cache was empty, the warm-up included.", of.Many),
		X:    Axis{Label: of.Many + " since the open", Unit: Gets},
		Y:    Axis{Label: "I/Os per " + of.One, Unit: IOsPerGet},
	}
	line := func(name string, kind Kind, points []Point) {
		c.line(Line{Name: name, Kind: kind, Curve: &i, Colour: len(c.Lines), Points: points})
	}
	for _, r := range curve.Runs {
		points := windowPoints(nil, r.Workload.WarmupGets, &r.IOsPerGet)
		for _, more := range r.Continued {
			points = windowPoints(points, more.GetsBefore, &more.IOsPerGet)
		}
		line(units.Size(r.Cache.Bytes), Measured, points)
	}
	for _, p := range curve.Predictions {
		var points []Point
		var made int64
		for _, w := range p.IOsPerGet.Windows {
			made += w.Gets
			points = append(points, Point{X: float64(made), Y: w.IOsPerGet})
		}
		line(units.Size(p.Cache.Bytes)+", predicted", Predicted, points)
	}
	return c
}

// windowPoints adds the windows of a run that began after that many Gets.
func windowPoints(points []Point, before int64, io *record.IOsPerGet) []Point {
	for n, mean := range io.Windows {
		points = append(points, Point{X: float64(before + int64(n+1)*io.WindowGets), Y: mean})
	}
	return points
}

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
		var points []Point
		if d := r.Distribution; d != nil {
			for n := range d.Histogram {
				points = append(points, Point{X: float64(n), Y: d.AtLeast(n)})
			}
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
	c.Marks = inflectionPoints(i, curve)
	return c
}
