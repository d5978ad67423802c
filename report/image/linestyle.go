package image

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"getio/report/chart"
)

// lineStyle is how a line is drawn.
type lineStyle struct {
	colour color.NRGBA
	stroke draw.LineStyle // width 0: no line
	fill   color.NRGBA    // of bands and areas
	glyph  glyph
}

// Dashes and gaps in points.
var (
	// solid and dashed also tell lines of the same kind and colour apart.
	solid   = [][]vg.Length{nil, {14, 2}, {14, 2, 3, 2}, {4, 2}}
	dashed  = [][]vg.Length{{6, 3.5}, {2.5, 2.5}, {10, 3}, {10, 3, 2.5, 3}}
	dotted  = []vg.Length{1.5, 3}
	dashDot = []vg.Length{7, 3, 1.5, 3}
)

func (s *scene) styleOf(l *line) lineStyle {
	colour := parseColour(chart.Light.At(l.Colour))
	k := lineStyle{colour: colour, fill: translucent(colour, 0x33), stroke: draw.LineStyle{Color: colour, Width: 1.6}}
	switch l.Kind {
	case chart.Measured:
		k.glyph = glyph{circle, 3.2}
		k.stroke.Dashes = solid[l.Nth%len(solid)]
	case chart.Continued:
		k.glyph = glyph{diamond, 5}
		k.stroke.Width = 0
	case chart.Predicted:
		k.glyph = glyph{[]shape{triangle, wedge}[l.Nth%2], 3.8}
		k.stroke.Width, k.stroke.Dashes = 1.3, dashed[l.Nth%len(dashed)]
	case chart.Published:
		k.glyph = glyph{square, 3.6}
		k.stroke.Width, k.stroke.Dashes = 1.3, dotted
	default:
		k.colour = color.NRGBA{0x77, 0x77, 0x77, 0xff}
		k.stroke = draw.LineStyle{Color: k.colour, Width: 0.9, Dashes: dashDot}
	}
	if l.base != nil {
		k.fill, k.stroke.Width = translucent(colour, 0xb0), 1
		k.glyph.radius = 2
	}
	if s.crowded {
		k.glyph.radius = 1.3
		k.stroke.Width = min(k.stroke.Width, 1.2)
	}
	return k
}

// parseColour reads a colour of a palette, #rrggbb.
func parseColour(hex string) color.NRGBA {
	n, err := strconv.ParseUint(hex[1:], 16, 24)
	if err != nil {
		panic("a palette has the colour " + hex) // palettes are constants
	}
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}

func translucent(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// shape is a path around a point.
type shape func(centre vg.Point, radius vg.Length) vg.Path

// glyph marks a point; the zero glyph draws nothing.
type glyph struct {
	shape  shape
	radius vg.Length
}

// draw draws a point. A filled one has a white rim, which separates it from points below;
// a hollow one covers what is below.
func (g glyph) draw(c *draw.Canvas, at vg.Point, colour color.Color, hollow bool) {
	if g.shape == nil {
		return
	}
	inside, rim := colour, draw.LineStyle{Color: color.White, Width: 0.5}
	if hollow {
		inside, rim = color.White, draw.LineStyle{Color: colour, Width: 1.3}
	}
	path := g.shape(at, g.radius)
	c.SetColor(inside)
	c.Fill(path)
	c.SetLineStyle(rim)
	c.Stroke(path)
}

func circle(centre vg.Point, radius vg.Length) (p vg.Path) {
	p.Move(centre.Add(vg.Point{X: radius}))
	p.Arc(centre, radius, 0, 2*math.Pi)
	p.Close()
	return p
}

var (
	diamond  = polygon(4, 0, 1)
	square   = polygon(4, math.Pi/4, math.Sqrt2)
	triangle = polygon(3, math.Pi/2, 1.2)
	wedge    = polygon(3, -math.Pi/2, 1.2) // a triangle that points downwards
)

// polygon has its corners on a circle, which is larger than the radius, the first of them at an angle.
func polygon(corners int, first float64, larger vg.Length) shape {
	return func(centre vg.Point, radius vg.Length) vg.Path {
		var all []vg.Point
		for n := range corners {
			sin, cos := math.Sincos(first + 2*math.Pi*float64(n)/float64(corners))
			all = append(all, centre.Add(vg.Point{X: radius * larger * vg.Length(cos), Y: radius * larger * vg.Length(sin)}))
		}
		return pathAround(all)
	}
}

// pathAround is the path through points and back to the first.
func pathAround(points []vg.Point) (p vg.Path) {
	p.Move(points[0])
	for _, at := range points[1:] {
		p.Line(at)
	}
	p.Close()
	return p
}
