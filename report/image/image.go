// Package image draws charts as SVG, PNG and PDF images, for papers and READMEs.
//
// Lines differ in more than colour: measured figures are a solid line with circles, continued runs are diamonds,
// published figures are a dotted line with squares, predictions are dashed with triangles, and references are thin,
// grey and without points. A filled point is of a steady run. Bands and bars are 95% confidence intervals.
//
// The same chart makes the same image, byte for byte.
package image

import (
	"bytes"
	"errors"
	"io"
	"regexp"

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
	return write(w, c, v, func(width, height vg.Length) vg.CanvasWriterTo { return vgsvg.New(width, height) }, withFallbacks)
}

// PNG writes a chart as a PNG image. The error is ErrNothing or that of w.
func PNG(w io.Writer, c *chart.Chart, v View) error {
	return write(w, c, v, func(width, height vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))}
	}, func(png []byte) []byte { return png })
}

// PDF writes a chart as a page of its size, with its font. The error is ErrNothing or that of w.
func PDF(w io.Writer, c *chart.Chart, v View) error {
	return write(w, c, v, func(width, height vg.Length) vg.CanvasWriterTo { return pdfCanvas{vgpdf.New(width, height)} },
		func(pdf []byte) []byte { return pdfDate.ReplaceAll(pdf, []byte("(D:20000101000000)")) })
}

// write draws a chart on a canvas of the size that it needs, and writes the finished image.
func write(w io.Writer, c *chart.Chart, v View, canvas func(width, height vg.Length) vg.CanvasWriterTo, finish func([]byte) []byte) error {
	s, err := newScene(c, v)
	if err != nil {
		return err
	}
	l := newLayout(s)
	on := canvas(pageWidth, l.height())
	l.draw(draw.New(on))
	var image bytes.Buffer
	if _, err := on.WriteTo(&image); err != nil {
		return err
	}
	_, err = w.Write(finish(image.Bytes()))
	return err
}

// pdfDate is the time at which a PDF was made.
var pdfDate = regexp.MustCompile(`\(D:\d{14}\)`)

// pdfCanvas draws bold text with the plain font: vgpdf can embed one font only.
type pdfCanvas struct{ *vgpdf.Canvas }

func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(font.DefaultCache.Lookup(plainFont, f.Font.Size), at, text)
}

// withFallbacks adds fonts of the same widths for machines without the font that text was
// measured in. A quote in text is escaped, so no name of a line looks like the attribute.
func withFallbacks(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte(`style="font-family:Liberation Sans;`), []byte(`style="font-family:Liberation Sans,Arial,Helvetica,sans-serif;`))
}
