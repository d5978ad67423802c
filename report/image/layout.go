package image

import (
	"image/color"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"getio/report/chart"
)

// Sizes in points. The image is as high as its parts.
const (
	pageWidth   vg.Length = 640
	border      vg.Length = 12
	innerWidth            = pageWidth - 2*border
	plotHeight  vg.Length = 330
	gap         vg.Length = 8
	titleSize   vg.Length = 14
	labelSize   vg.Length = 11
	tickSize    vg.Length = 10
	captionSize vg.Length = 9
	lineSpacing           = 1.35 // of a font's size
	// slack is by how much text of an SVG image may be wider on a machine without the
	// font that it was measured in.
	slack = 1.15
)

var (
	black     = color.Gray{0x11}
	darkGrey  = color.Gray{0x44}
	paleGrey  = color.Gray{0xe4}
	thinLine  = vg.Length(0.6)
	plainFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	boldFont  = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: xfont.WeightBold}
)

// style is text of a size that begins at its lower left corner.
func style(f font.Font, size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.From(f, size), Handler: plot.DefaultTextHandler}
}

// layout is the parts of an image from the top: title, labels of marks, plot, legend, caption.
type layout struct {
	scene   *scene
	plot    *plot.Plot
	title   string
	marks   *markLabels
	legend  *legend
	caption []string // lines
}

func newLayout(s *scene) *layout {
	title := style(boldFont, titleSize, black)
	caption := style(plainFont, captionSize, darkGrey)
	notes := slices.Concat([]string{clean(s.chart.Note)}, s.notes)
	l := &layout{
		scene:   s,
		title:   shortened(clean(s.chart.Title), innerWidth/slack, title.Width),
		legend:  newLegend(s),
		caption: wrapped(notes, innerWidth/slack, caption.Width),
	}
	l.plot = newPlot(s)
	l.marks = newMarkLabels(s)
	return l
}

func (l *layout) height() vg.Length {
	return 2*border + titleSize*lineSpacing + gap + l.marks.height() + plotHeight + gap + l.legend.height() + gap +
		vg.Length(len(l.caption))*captionSize*lineSpacing
}

func (l *layout) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y - border - titleSize
	title := style(boldFont, titleSize, black)
	c.FillText(title, vg.Point{X: border, Y: top}, l.title)
	top -= titleSize*(lineSpacing-1) + gap + l.marks.height()

	page := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: border, Y: top - plotHeight}, Max: vg.Point{X: pageWidth - border, Y: top},
	}}
	l.plot.Draw(page)
	l.marks.draw(l.plot.DataCanvas(page))
	top -= plotHeight + gap

	l.legend.draw(&c, top)
	top -= l.legend.height() + gap
	caption := style(plainFont, captionSize, darkGrey)
	for _, line := range l.caption {
		top -= captionSize * lineSpacing
		c.FillText(caption, vg.Point{X: border, Y: top}, line)
	}
}

// newPlot returns the axes and the space between them.
func newPlot(s *scene) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	set(&p.X, s.labelX())
	set(&p.Y, s.labelY())
	tick := style(plainFont, tickSize, darkGrey)
	p.X.Tick.Marker = s.x.along(ticks(s.x, s.unitX(), spaceAlong(innerWidth-4*labelSize, 2*gap, tick.Width)))
	p.Y.Tick.Marker = s.y.along(ticks(s.y, s.chart.Y.Unit, spaceAlong(plotHeight-4*labelSize, 2*gap, tick.Height)))
	p.Add(drawing{s})
	return p
}

// set gives an axis the style of the image. For plot it is a linear axis from 0 to 1, and
// its span says what lies where: plot reserves space for the label about the middle of
// its ends, which on a logarithmic axis is near its upper end.
func set(a *plot.Axis, label string) {
	a.Min, a.Max, a.Scale = 0, 1, plot.LinearScale{}
	a.Label.Text, a.Label.Padding = clean(label), 4
	a.Label.TextStyle.Font = font.From(plainFont, labelSize)
	a.Label.TextStyle.Color = black
	a.Tick.Label.Font = font.From(plainFont, tickSize)
	a.Tick.Label.Color = darkGrey
	a.Tick.Length, a.Tick.Width, a.Tick.Color = 4, thinLine, darkGrey
	a.Width, a.Color, a.Padding = thinLine, darkGrey, 0
}

func (s *scene) unitX() chart.Unit {
	if s.view.Share {
		return shareOfDatabase
	}
	return s.chart.X.Unit
}

func (s *scene) labelY() string {
	if s.y.log {
		return s.chart.Y.Label + " (logarithmic)"
	}
	return s.chart.Y.Label
}

func (s *scene) labelX() string {
	label := s.chart.X.Label
	if s.view.Share {
		label += ", share of the database"
	}
	if s.log() {
		label += " (logarithmic)"
	}
	return label
}
