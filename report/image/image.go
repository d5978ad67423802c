// Package image draws charts as SVG, PNG and PDF images, for papers and READMEs.
//
// Lines differ in more than colour: measured figures are a solid line with circles,
// continued runs are diamonds, published figures are a dotted line with squares,
// predictions are dashed with triangles, and references are thin, grey and without
// points. A filled point is of a steady run. Bands and bars are 95% confidence intervals.
//
// The same chart makes the same image, byte for byte.
package image

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"getio/report/chart"
)

// View is how the X axis is laid out.
type View struct {
	Linear bool // even where the chart asks for a logarithmic axis
	Share  bool // caches as shares of their databases, where the chart has caches
}

// ErrNothing: none of a chart's points can be drawn in the view.
var ErrNothing = errors.New("there is nothing to draw")

// dotsPerInch makes a PNG image 1706 pixels wide.
const dotsPerInch = 192

// SVG writes a chart as an SVG image whose text is text. The error is ErrNothing or that of w.
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

// PNG writes a chart as a PNG image. The error is ErrNothing or that of w.
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

// PDF writes a chart as a page of its size, with its font. The error is ErrNothing or that of w.
func PDF(w io.Writer, c *chart.Chart, v View) error {
	var canvas pdfCanvas
	err := drawOn(c, v, func(width, height vg.Length) vg.CanvasSizer {
		canvas = pdfCanvas{vgpdf.New(width, height)}
		return canvas
	})
	if err != nil {
		return err
	}
	var pdf bytes.Buffer
	if _, err := canvas.WriteTo(&pdf); err != nil {
		return err
	}
	_, err = w.Write(pdfDate.ReplaceAll(pdf.Bytes(), []byte("(D:20000101000000)")))
	return err
}

// pdfDate is the time at which a PDF was made.
var pdfDate = regexp.MustCompile(`\(D:\d{14}\)`)

// pdfCanvas draws bold text with the plain font: vgpdf can embed one font only.
type pdfCanvas struct{ *vgpdf.Canvas }

func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(font.DefaultCache.Lookup(plainFont, f.Font.Size), at, text)
}

// drawOn draws a chart on a canvas of the size that it needs.
func drawOn(c *chart.Chart, v View, canvas func(width, height vg.Length) vg.CanvasSizer) error {
	s, err := newScene(c, v)
	if err != nil {
		return err
	}
	l := newLayout(s)
	l.draw(draw.New(canvas(pageWidth, l.height())))
	return nil
}

// withFallbacks adds fonts of the same widths for machines without the font that text was
// measured in. A quote in text is escaped, so no name of a line looks like the attribute.
func withFallbacks(svg string) string {
	return strings.ReplaceAll(svg, `style="font-family:Liberation Sans;`, `style="font-family:Liberation Sans,Arial,Helvetica,sans-serif;`)
}
