package image

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"getio/report/chart"
)

// drawing draws a scene between the axes: areas first, points last.
type drawing struct{ *scene }

// Plot implements plot.Plotter.
func (s drawing) Plot(c draw.Canvas, p *plot.Plot) {
	at := func(x, y float64) vg.Point {
		return vg.Point{X: c.X(s.x.at(x)), Y: c.Y(s.y.at(s.y.clamp(y)))}
	}
	grid(&c, p)
	for i := range s.lines {
		s.fillLine(&c, &s.lines[i], at)
	}
	for i, m := range s.marks {
		s.strokeMark(&c, i, at(m.X, 0).X)
	}
	for _, l := range s.upwards() {
		s.strokeLine(&c, l, at)
	}
	for _, l := range s.upwards() {
		s.drawPoints(&c, l, at)
	}
}

// order is the order in which kinds are drawn: nothing covers what was measured.
var order = []chart.Kind{chart.Reference, chart.Published, chart.Predicted, chart.Continued, chart.Measured}

// upwards returns the lines in the order of drawing.
func (s drawing) upwards() (lines []*line) {
	for i := range s.lines {
		lines = append(lines, &s.lines[i])
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return slices.Index(order, a.Kind) - slices.Index(order, b.Kind) })
	return lines
}

func grid(c *draw.Canvas, p *plot.Plot) {
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		y := c.Y(p.Y.Norm(t.Value))
		c.StrokeLine2(draw.LineStyle{Color: paleGrey, Width: thinLine}, c.Min.X, y, c.Max.X, y)
	}
}

// barWidth is half the width of an area over a single place.
const barWidth vg.Length = 12

// fillLine fills the area of a stacked line down to its base, or the band of confidence intervals.
func (s drawing) fillLine(c *draw.Canvas, l *line, at func(x, y float64) vg.Point) {
	c.SetColor(s.styleOf(l).fill)
	if l.base != nil {
		var upper, lower []vg.Point
		for i, p := range l.Points {
			upper, lower = append(upper, at(p.X, p.Y)), append(lower, at(p.X, l.base[i]))
		}
		if l.Points[0].X == l.Points[len(l.Points)-1].X {
			upper, lower = widen(upper[0]), widen(lower[0])
		}
		fillBetween(c, upper, lower)
		return
	}
	if s.styleOf(l).stroke.Width == 0 {
		return
	}
	for i := 1; i < len(l.Points); i++ {
		a, b := l.Points[i-1], l.Points[i]
		low, high, ok := interval(a)
		nextLow, nextHigh, nextOK := interval(b)
		if ok && nextOK {
			fillBetween(c, []vg.Point{at(a.X, high), at(b.X, nextHigh)}, []vg.Point{at(a.X, low), at(b.X, nextLow)})
		}
	}
}

// widen makes a short level line of a single point.
func widen(at vg.Point) []vg.Point {
	return []vg.Point{at.Sub(vg.Point{X: barWidth}), at.Add(vg.Point{X: barWidth})}
}

func fillBetween(c *draw.Canvas, upper, lower []vg.Point) {
	slices.Reverse(lower)
	c.Fill(pathAround(slices.Concat(upper, lower)))
}

func (s drawing) strokeLine(c *draw.Canvas, l *line, at func(x, y float64) vg.Point) {
	look := s.styleOf(l)
	if look.stroke.Width == 0 || len(l.Points) < 2 {
		return
	}
	var points []vg.Point
	for _, p := range l.Points {
		points = append(points, at(p.X, p.Y))
	}
	c.StrokeLines(look.stroke, points)
}

// capWidth is half the width of the ends of a confidence interval.
const capWidth vg.Length = 3

// drawPoints draws each point, and its confidence interval unless that is part of a band.
func (s drawing) drawPoints(c *draw.Canvas, l *line, at func(x, y float64) vg.Point) {
	look := s.styleOf(l)
	for _, p := range l.Points {
		if low, high, ok := interval(p); ok && (l.Kind != chart.Measured || len(l.Points) == 1) {
			style := draw.LineStyle{Color: look.colour, Width: thinLine}
			from, to := at(p.X, low), at(p.X, high)
			c.StrokeLines(style, []vg.Point{from, to})
			c.StrokeLine2(style, from.X-capWidth, from.Y, from.X+capWidth, from.Y)
			c.StrokeLine2(style, to.X-capWidth, to.Y, to.X+capWidth, to.Y)
		}
		look.glyph.draw(c, at(p.X, p.Y), look.colour, s.chart.Hollow(&l.Line, p))
	}
}
