// Package chart turns a study into charts: titles, axes, lines and points, as data.
// Pages, pictures and CSV files draw and write what this package says, so that they
// all show the same figures.
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
	// Curve is the number of the curve in the study that the chart is of; nil if it
	// is of all of them.
	Curve *int   `json:"curve,omitempty"`
	X     Axis   `json:"x"`
	Y     Axis   `json:"y"`
	Lines []Line `json:"lines"`
	Marks []Mark `json:"marks,omitempty"`
	// Stacked: each line lies on the sum of those before it.
	Stacked bool `json:"stacked,omitempty"`
	// Judged: points that are measured are of whole runs, and shown as such that are
	// not known to be steady unless they are.
	Judged bool `json:"judged,omitempty"`
	// Verdicts: points of what was compared with a base have a Verdict.
	Verdicts bool `json:"verdicts,omitempty"`
}

// Axis is what is drawn along one side.
type Axis struct {
	Label string `json:"label"`
	Unit  Unit   `json:"unit"`
	// Log: drawn logarithmically unless asked otherwise. Of a Y axis it says that
	// its figures are of different magnitudes: a drawing that is linear for better
	// comparison has to say what lies outside of it.
	Log bool `json:"log,omitempty"`
}

// Unit is what the figures along an axis are.
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
	// Of a client's operations, and of lookups in stores of states.
	ReadsPerOperation Unit = "reads_per_operation"
	ReadsPerLookup    Unit = "reads_per_lookup"
	Level0Tables      Unit = "l0_tables"
	ShareOfStore      Unit = "share_of_store" // of its bytes, 0 to 1
)

// Line is figures that belong together.
type Line struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Curve is the number of the curve in the study that the line is of; nil if it is
	// of several.
	Curve *int `json:"curve,omitempty"`
	// Colour is a place in a Palette.
	Colour int `json:"colour"`
	// Nth is how many lines of its kind and colour come before it.
	Nth    int     `json:"nth,omitempty"`
	Points []Point `json:"points"`
}

// Kind is how the figures of a line came about.
type Kind string

const (
	Measured  Kind = "measured"
	Rest      Kind = "at_rest" // measured by going on until a run was steady, or as far as it went
	Predicted Kind = "predicted"
	Published Kind = "published" // by the study that getio started from
	Reference Kind = "reference" // of no database: what the others are held against
)

// Point is one figure, and finite. Nil is not known.
type Point struct {
	X      float64  `json:"x"`
	Share  *float64 `json:"share,omitempty"` // of the database, where X is a cache in bytes
	Y      float64  `json:"y"`
	Low    *float64 `json:"low,omitempty"`  // of the 95% confidence interval of Y
	High   *float64 `json:"high,omitempty"` // and its other end
	Steady *bool    `json:"steady,omitempty"`
	// Verdict is of Y against that of a base; absent of the base itself.
	Verdict *Verdict `json:"verdict,omitempty"`
}

// Verdict is what the rounds of a comparison say.
type Verdict struct {
	Base    string `json:"base"` // label of the base
	Verdict string `json:"verdict"`
	// Ratio is Y by that of the base, with its 95% confidence interval; absent where one
	// of them is 0.
	Ratio *float64 `json:"ratio,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

// Mark is a place on the X axis that has a name.
type Mark struct {
	Name  string   `json:"name"`
	Curve int      `json:"curve"` // that it is of
	X     float64  `json:"x"`
	Share *float64 `json:"share,omitempty"`
}

// All are the charts that a study has figures for: those of all curves, of comparisons, of
// clients' operations and of stores, and then those of each curve.
func All(s *study.Study) []Chart {
	charts := []Chart{iosPerGet(s), indexHitRate(s), cacheHitRate(s), byKeys(s), compared(s),
		operations(s), level0Gets(s), level0Blocks(s), level0Transactions(s), stores(s), storesByKeys(s)}
	for i, c := range s.Curves {
		charts = append(charts, misses(i, c), reads(i, c), latency(i, c), windows(i, c))
	}
	drawn := []Chart{}
	for _, c := range charts {
		if len(c.Lines) > 0 {
			drawn = append(drawn, c)
		}
	}
	return drawn
}

// Names are those of all charts that there are.
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

// Hollow tells whether a point of a line is of a run that is not known to be steady.
func (c *Chart) Hollow(l *Line, p Point) bool {
	return c.Judged && (l.Kind == Measured || l.Kind == Rest) && (p.Steady == nil || !*p.Steady)
}
