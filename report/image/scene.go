package image

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"getio/numbers/units"
	"getio/report/chart"
)

// scene is the part of a chart that is drawn: its lines in the coordinates of the axes.
type scene struct {
	chart *chart.Chart
	view  View
	lines []line
	marks []chart.Mark
	x, y  span
	notes []string // what is left out, in sentences
	// crowded: points are drawn small.
	crowded bool
}

// line is a chart's line with the points that can be drawn. Their X is what the axis
// shows. The lines of a stacked chart lie on the sum of the lines below.
type line struct {
	chart.Line
	base []float64 // where the line's area begins, for each point; nil if there is none
}

// manyPoints is more points than a line has space for at their full size.
const manyPoints = 25

// largestFigure is beyond any meaningful figure, and far from floating-point overflow.
const largestFigure = 1e18

// newScene takes from a chart what can be drawn of it.
func newScene(c *chart.Chart, v View) (*scene, error) {
	v.Share = v.Share && c.X.Unit == chart.CacheBytes
	s := &scene{chart: c, view: v}
	s.takePoints()
	s.stack()
	s.dropOutliers()
	if len(s.lines) == 0 {
		return nil, ErrNothing
	}
	s.x = s.spanX()
	s.takeMarks()
	s.y = s.spanY()
	return s, nil
}

// log reports whether the X axis is logarithmic.
func (s *scene) log() bool { return s.chart.X.Log && !s.view.Linear }

// logY reports whether the Y axis is logarithmic: for times, and for figures that grow
// beyond a cliff. Other figures of different magnitudes are compared on a linear axis.
func (s *scene) logY() bool {
	return !s.view.Linear && (s.chart.Y.Unit == chart.Microseconds || s.chart.X.Unit == chart.Level0Tables)
}

func (s *scene) takePoints() {
	var zero, none, unknown, huge int
	for _, l := range s.chart.Lines {
		var points []chart.Point
		for _, p := range l.Points {
			switch x := s.positionX(p.X, p.Share); {
			case x == nil:
				unknown++
			case s.log() && *x < 1/largestFigure:
				zero++
			case s.logY() && p.Y < 1/largestFigure:
				none++
			case math.Abs(*x) > largestFigure || math.Abs(p.Y) > largestFigure:
				huge++
			default:
				p.X = *x
				points = append(points, p)
			}
		}
		if len(points) > 0 {
			l.Points = points
			s.lines = append(s.lines, line{Line: l})
			s.crowded = s.crowded || len(points) > manyPoints
		}
	}
	s.note(zero, "at 0", "a logarithmic axis has no place for")
	s.note(none, "of 0", "a logarithmic axis has no place for")
	s.note(unknown, "whose share of the database is not known", "the axis has no place for")
	s.note(huge, "beyond 1e18", "the axes have no place for")
}

// positionX returns the X of something; nil if unknown.
func (s *scene) positionX(x float64, share *float64) *float64 {
	if s.view.Share {
		return share
	}
	return &x
}

func (s *scene) note(n int, which, why string) {
	if n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Not drawn: %d point%s %s, which %s.", n, units.If(n > 1, "s"), which, why))
	}
}

// stack lays each line on those before it. The lines of a stacked chart have their points at the same places.
func (s *scene) stack() {
	if !s.chart.Stacked {
		return
	}
	var sums []float64
	for i := range s.lines {
		l := &s.lines[i]
		sums = slices.Concat(sums, make([]float64, max(0, len(l.Points)-len(sums))))
		l.base = slices.Clone(sums[:len(l.Points)])
		for n := range l.Points {
			sums[n] += l.Points[n].Y
			l.Points[n].Y = sums[n]
		}
	}
}

// outlierRatio is how far above everything else, as a ratio, a reference is left out: the
// axis would squeeze everything else.
const outlierRatio = 3

// dropOutliers takes out references far above all figures, and notes where they are.
func (s *scene) dropOutliers() {
	top := math.Inf(-1)
	for _, l := range s.lines {
		if l.Kind != chart.Reference {
			_, highest := l.extent()
			top = max(top, highest)
		}
	}
	if math.IsInf(top, -1) {
		return
	}
	s.lines = slices.DeleteFunc(s.lines, func(l line) bool {
		least, most := l.extent()
		if l.Kind != chart.Reference || least <= outlierRatio*top {
			return false
		}
		where := fmt.Sprintf("%.4g to %.4g", least, most)
		if least == most {
			where = fmt.Sprintf("%.4g", least)
		}
		s.notes = append(s.notes, fmt.Sprintf("Above the picture: %s, %s %s.", units.OneLine(l.Name), where, s.chart.Y.Label))
		return true
	})
}

// extent returns the least and the largest figure of a line, confidence intervals included.
func (l *line) extent() (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, p := range l.Points {
		least, most = min(least, p.Y), max(most, p.Y)
		if low, high, ok := interval(p); ok {
			least, most = min(least, low), max(most, high)
		}
	}
	return least, most
}

// lowest returns the least figure of a line without its intervals.
func (l *line) lowest() float64 {
	return slices.MinFunc(l.Points, func(a, b chart.Point) int { return cmp.Compare(a.Y, b.Y) }).Y
}

// interval returns a point's 95% confidence interval, if known.
func interval(p chart.Point) (low, high float64, ok bool) {
	if p.Low == nil || p.High == nil || math.Abs(*p.Low) > largestFigure || math.Abs(*p.High) > largestFigure {
		return 0, 0, false
	}
	return *p.Low, *p.High, true
}
