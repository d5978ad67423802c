// Package chart turns a study into the charts of reports, one kind per question: titles, axes, lines and
// points, as data. HTML pages, images and CSV files all take their figures from here.
package chart

import (
	"math"
	"slices"

	"getio/report/study"
)

// Chart is one chart.
type Chart struct {
	Name  string `json:"name"` // in flags and file names
	Title string `json:"title"`
	Note  string `json:"note,omitempty"` // what a reader has to know
	// Curve is the index of the chart's curve in the study; nil if it shows all curves.
	Curve *int   `json:"curve,omitempty"`
	X     Axis   `json:"x"`
	Y     Axis   `json:"y"`
	Lines []Line `json:"lines"`
	Marks []Mark `json:"marks,omitempty"`
	// Stacked: each line lies on the sum of the lines before it.
	Stacked bool `json:"stacked,omitempty"`
	// Judged: measured points are of whole runs, and are drawn hollow unless known to be steady.
	Judged bool `json:"judged,omitempty"`
	// Verdicts: points of sides that were compared with a base have a Verdict.
	Verdicts bool `json:"verdicts,omitempty"`
}

// Axis is one axis.
type Axis struct {
	Label string `json:"label"`
	Unit  Unit   `json:"unit"`
	// Log: logarithmic by default. A Y axis with Log has figures of very different
	// magnitudes; a linear drawing has to say which of them it leaves out.
	Log bool `json:"log,omitempty"`
}

// Unit is the unit of the figures along an axis.
type Unit string

const (
	CacheBytes   Unit = "cache_bytes" // its points have a Share too, unless it is not known
	Keys         Unit = "keys"
	Gets         Unit = "gets"
	IOsPerGet    Unit = "ios_per_get"
	HitRate      Unit = "hit_rate"
	Reads        Unit = "reads" // whole numbers
	ShareOfGets  Unit = "share_of_gets"
	Microseconds Unit = "microseconds"
	// Of a client's operations, and of lookups in state databases.
	ReadsPerOperation Unit = "reads_per_operation"
	ReadsPerLookup    Unit = "reads_per_lookup"
	Level0Tables      Unit = "l0_tables"
	MemoryPerKey      Unit = "memory_per_key" // bytes
)

// Line is a series of figures.
type Line struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Curve is the index of the line's curve in the study; nil if it is of several.
	Curve *int `json:"curve,omitempty"`
	// Colour is an index into a Palette.
	Colour int `json:"colour"`
	// Nth counts the lines of the same kind and colour before it.
	Nth    int     `json:"nth,omitempty"`
	Points []Point `json:"points"`
}

// Kind is the source of the figures of a line.
type Kind string

const (
	Measured  Kind = "measured"
	Continued Kind = "at_rest" // after more Gets with the same cache
	Predicted Kind = "predicted"
	Published Kind = "published" // by the study that getio started from
	Reference Kind = "reference" // for comparison, of no database
)

// Point is one finite figure. Nil means unknown.
type Point struct {
	X      float64  `json:"x"`
	Share  *float64 `json:"share,omitempty"` // of the database, where X is a cache in bytes
	Y      float64  `json:"y"`
	Low    *float64 `json:"low,omitempty"`  // of the 95% confidence interval of Y
	High   *float64 `json:"high,omitempty"` // and its other end
	Steady *bool    `json:"steady,omitempty"`
	// Verdict compares Y with that of the base; absent of the base itself.
	Verdict *Verdict `json:"verdict,omitempty"`
}

// Verdict is the result of a comparison.
type Verdict struct {
	Base    string `json:"base"` // label of the base
	Verdict string `json:"verdict"`
	// Ratio is Y divided by that of the base, with its 95% confidence interval; absent if one of them is 0.
	Ratio *float64 `json:"ratio,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

// Mark is a named place on the X axis.
type Mark struct {
	Name  string   `json:"name"`
	Curve int      `json:"curve"` // that it is of
	X     float64  `json:"x"`
	Share *float64 `json:"share,omitempty"`
}

// All returns the charts that a study has figures for: those of all curves, of
// comparisons, operations and state databases, then those of each curve.
func All(s *study.Study) []Chart {
	charts := []Chart{iosPerGet(s), indexHitRate(s), cacheHitRate(s), byKeys(s), compared(s), operations(s)}
	charts = append(append(charts, level0(s)...), stores(s), storesByKeys(s))
	for i, c := range s.Curves {
		charts = append(charts, misses(i, c), reads(i, c), latency(i, c), windows(i, c))
	}
	return slices.DeleteFunc(charts, func(c Chart) bool { return len(c.Lines) == 0 })
}

// Names are the names of all charts.
var Names = []string{"ios", "index-hit", "cache-hit", "keys", "compared",
	"operations", "l0", "l0-block", "l0-tx", "stores", "stores-keys", "misses", "reads", "latency", "windows"}

// line adds a line if it has points.
func (c *Chart) line(l Line) {
	l.Points = slices.DeleteFunc(l.Points, func(p Point) bool { return !finite(p.X) || !finite(p.Y) })
	if len(l.Points) == 0 {
		return
	}
	for _, before := range c.Lines {
		if before.Kind == l.Kind && Light.At(before.Colour) == Light.At(l.Colour) {
			l.Nth++
		}
	}
	c.Lines = append(c.Lines, l)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Hollow reports whether a point is of a run that is not known to be steady.
func (c *Chart) Hollow(l *Line, p Point) bool {
	return c.Judged && (l.Kind == Measured || l.Kind == Continued) && (p.Steady == nil || !*p.Steady)
}

// Palette is colours as #rrggbb, in the order in which lines take them. Neighbours also
// differ in lightness, for readers who cannot tell the hues apart.
type Palette []string

// Light is for a white background and Dark for a black one: each colour has a contrast of at least 4.5.
var (
	Light = Palette{"#0b62a4", "#c14a00", "#007a5a", "#8a3f94", "#7d6000", "#a81e4a", "#2f6b7d", "#565656"}
	Dark  = Palette{"#5cb3f5", "#ff9a57", "#3dcf9f", "#d593e3", "#e3bd3f", "#ff8095", "#8fc3d4", "#bdbdbd"}
)

// At returns colour n; the palette repeats.
func (p Palette) At(n int) string { return p[n%len(p)] }
