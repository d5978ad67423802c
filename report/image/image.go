// Package image draws charts as SVG and PNG pictures, for papers and READMEs.
//
// How a line came about can be told without its colour: what was measured is a solid
// line with circles, what that came to is diamonds, what was published is a dotted
// line with squares, what was predicted is dashed with triangles, and what all that
// is held against is thin, grey and without points. A filled point is of a run that
// was steady. Bands and bars are 95% confidence intervals.
//
// The same chart makes the same picture, to the byte.
package image

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"getio/report/chart"
)

// View is how the X axis is laid out.
type View struct {
	Linear bool // even where the chart asks for a logarithmic axis
	Share  bool // caches as shares of their databases, where the chart has caches
}

// ErrNothing is that none of a chart's points can be drawn in a view.
var ErrNothing = errors.New("there is nothing to draw")

// dotsPerInch make a PNG picture 1706 pixels wide.
const dotsPerInch = 192

// SVG writes a chart as an SVG picture whose text is text. The error is ErrNothing,
// or w's.
func SVG(w io.Writer, c *chart.Chart, v View) error {
	var canvas *vgsvg.Canvas
	err := drawOn(c, v, func(width, height vg.Length) vg.CanvasSizer {
		canvas = vgsvg.New(width, height)
		return canvas
	})
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err = io.WriteString(w, withFallbacks(svg.String()))
	return err
}

// PNG writes a chart as a PNG picture. The error is ErrNothing, or w's.
func PNG(w io.Writer, c *chart.Chart, v View) error {
	var canvas vgimg.PngCanvas
	err := drawOn(c, v, func(width, height vg.Length) vg.CanvasSizer {
		canvas.Canvas = vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))
		return canvas
	})
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(w)
	return err
}

// drawOn draws a chart on a canvas of the size that it takes.
func drawOn(c *chart.Chart, v View, canvas func(width, height vg.Length) vg.CanvasSizer) error {
	s, err := newScene(c, v)
	if err != nil {
		return err
	}
	l := newLayout(s)
	l.draw(draw.New(canvas(pageWidth, l.height())))
	return nil
}

// withFallbacks names fonts of the same widths beside the one that text was measured
// in, for machines that do not have it. A quote in text is escaped, so that no name
// of a line looks like the attribute.
func withFallbacks(svg string) string {
	return strings.ReplaceAll(svg, `style="font-family:Liberation Sans;`, `style="font-family:Liberation Sans,Arial,Helvetica,sans-serif;`)
}
