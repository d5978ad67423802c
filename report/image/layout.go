package image

import (
	"image/color"
	"slices"
	"sort"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"getio/numbers/units"
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
	// slack is by how much text of an SVG image may be wider on a machine without the font that it was measured in.
	slack = 1.15
)

var (
	black     = color.Gray{0x11}
	darkGrey  = color.Gray{0x44}
	paleGrey  = color.Gray{0xe4}
	thinLine  = vg.Length(0.6)
	plainFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	boldFont  = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: xfont.WeightBold}

	titleStyle   = style(boldFont, titleSize, black)
	captionStyle = style(plainFont, captionSize, darkGrey)
)

// style is text of a size that begins at its lower left corner.
func style(f font.Font, size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.From(f, size), Handler: plot.DefaultTextHandler}
}

// layout is the parts of an image from the top: title, labels of marks, plot, legend, caption.
type layout struct {
	plot    *plot.Plot
	title   string
	marks   *markLabels
	legend  *legend
	caption []string // lines
}

func newLayout(s *scene) *layout {
	notes := slices.Concat([]string{units.OneLine(s.chart.Note)}, s.notes)
	return &layout{
		plot:    newPlot(s),
		title:   shortened(units.OneLine(s.chart.Title), innerWidth/slack, titleStyle.Width),
		marks:   newMarkLabels(s),
		legend:  newLegend(s),
		caption: wrapped(notes, innerWidth/slack, captionStyle.Width),
	}
}

func (l *layout) height() vg.Length {
	return 2*border + titleSize*lineSpacing + gap + l.marks.height() + plotHeight + gap + l.legend.height() + gap +
		vg.Length(len(l.caption))*captionSize*lineSpacing
}

func (l *layout) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y - border - titleSize
	c.FillText(titleStyle, vg.Point{X: border, Y: top}, l.title)
	top -= titleSize*(lineSpacing-1) + gap + l.marks.height()

	page := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: border, Y: top - plotHeight}, Max: vg.Point{X: pageWidth - border, Y: top},
	}}
	l.plot.Draw(page)
	l.marks.draw(l.plot.DataCanvas(page))
	top -= plotHeight + gap

	l.legend.draw(&c, top)
	top -= l.legend.height() + gap
	for _, line := range l.caption {
		top -= captionSize * lineSpacing
		c.FillText(captionStyle, vg.Point{X: border, Y: top}, line)
	}
}

func newPlot(s *scene) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	set(&p.X, s.chart.X.Label+units.If(s.view.Share, ", share of the database")+units.If(s.x.log, " (logarithmic)"))
	set(&p.Y, s.chart.Y.Label+units.If(s.y.log, " (logarithmic)"))
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
	a.Label.Text, a.Label.Padding = units.OneLine(label), 4
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

// shortened drops the middle of a text until it fits: names that begin alike often end differently.
func shortened(s string, width vg.Length, of func(string) vg.Length) string {
	if of(s) <= width {
		return s
	}
	runes := []rune(s)
	return without(runes, sort.Search(len(runes)-1, func(n int) bool { return of(without(runes, n+1)) > width }))
}

// without keeps n runes, half of them at each end.
func without(runes []rune, n int) string {
	return string(runes[:n-n/2]) + "…" + string(runes[len(runes)-n/2:])
}

// wrapped sets sentences as one paragraph in lines of at most the width.
func wrapped(sentences []string, width vg.Length, of func(string) vg.Length) (lines []string) {
	for word := range strings.FieldsSeq(strings.Join(sentences, " ")) {
		word = shortened(word, width, of)
		if last := len(lines) - 1; last >= 0 && of(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Sizes of the legend in points.
const (
	legendSize  vg.Length = 10
	sampleWidth vg.Length = 38 // shows where the longest dash ends
	columnGap   vg.Length = 16
	// fewLines get a column each for long names; more lines share two columns.
	fewLines    = 8
	longestName = (innerWidth - sampleWidth - gap) / slack
	longName    = ((innerWidth-columnGap)/2 - sampleWidth - gap) / slack
)

// legend names the lines below the plot, in columns that are read downwards, so that the
// lines of one curve stand together.
type legend struct {
	scene   *scene
	names   []string
	width   vg.Length // of a column
	columns int
	rows    int
}

func newLegend(s *scene) *legend {
	l := &legend{scene: s}
	width := style(plainFont, legendSize, black).Width
	longest := longName
	if len(s.lines) <= fewLines {
		longest = longestName
	}
	for _, line := range s.lines {
		name := shortened(units.OneLine(line.Name), longest, width)
		l.names = append(l.names, name)
		l.width = max(l.width, sampleWidth+gap+slack*width(name))
	}
	fit := max(1, int((innerWidth+columnGap)/(l.width+columnGap)))
	l.rows = (len(l.names) + fit - 1) / fit
	l.columns = (len(l.names) + l.rows - 1) / l.rows
	return l
}

func (l *legend) height() vg.Length { return vg.Length(l.rows) * legendSize * lineSpacing }

func (l *legend) draw(c *draw.Canvas, top vg.Length) {
	names := style(plainFont, legendSize, black)
	for i, name := range l.names {
		at := vg.Point{
			X: border + vg.Length(i/l.rows)*(l.width+columnGap),
			Y: top - vg.Length(i%l.rows+1)*legendSize*lineSpacing,
		}
		l.scene.sample(c, &l.scene.lines[i], at)
		c.FillText(names, at.Add(vg.Point{X: sampleWidth + gap}), name)
	}
}

// sample draws a short piece of a line, to the right of a place on the base line of its name.
func (s *scene) sample(c *draw.Canvas, l *line, at vg.Point) {
	look := s.styleOf(l)
	middle := at.Y + legendSize*0.35
	if l.base != nil {
		box := vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y}, Max: vg.Point{X: at.X + sampleWidth, Y: at.Y + legendSize*0.75}}
		c.SetColor(look.fill)
		c.Fill(box.Path())
	}
	if look.stroke.Width > 0 {
		c.StrokeLine2(look.stroke, at.X, middle, at.X+sampleWidth, middle)
	}
	look.glyph.draw(c, vg.Point{X: at.X + sampleWidth/2, Y: middle}, look.colour, false)
}

// mostMarked is the largest number of curves whose marks can be told apart.
const mostMarked = 3

// takeMarks takes the marks that lie on the X axis.
func (s *scene) takeMarks() {
	if curvesOf(s.chart.Marks) > mostMarked {
		return
	}
	for _, m := range s.chart.Marks {
		if x := s.positionX(m.X, m.Share); x != nil && *x >= s.x.min && *x <= s.x.max {
			m.X = *x
			s.marks = append(s.marks, m)
		}
	}
}

// curvesOf returns how many curves have marks.
func curvesOf(marks []chart.Mark) int {
	curves := map[int]bool{}
	for _, m := range marks {
		curves[m.Curve] = true
	}
	return len(curves)
}

// markColour returns the colour of the curve's lines, or grey in a chart whose colours mean something else.
func (s *scene) markColour(m chart.Mark) color.Color {
	if s.chart.Curve != nil {
		return darkGrey
	}
	return parseColour(chart.Light.At(m.Curve))
}

func (s *scene) strokeMark(c *draw.Canvas, i int, x vg.Length) {
	c.StrokeLine2(draw.LineStyle{Color: s.markColour(s.marks[i]), Width: thinLine, Dashes: []vg.Length{1, 2}}, x, c.Min.Y, x, c.Max.Y)
}

// longestMark is the width that a mark's label may take.
const longestMark vg.Length = 90

// markLabels are the names of marks above the plot, in up to two rows. Labels that would overlap are left out.
type markLabels struct {
	scene *scene
	rows  [2][]markLabel
}

type markLabel struct {
	mark  int
	text  string
	place span // along the axis
}

// newMarkLabels places the labels along the axis, which is nearly as long as the image is wide.
func newMarkLabels(s *scene) *markLabels {
	l := &markLabels{scene: s}
	style := style(plainFont, captionSize, black)
	length := innerWidth - 4*labelSize
	for i, m := range s.marks {
		name := shortened(s.markName(m), longestMark, style.Width)
		middle, half := float64(length)*s.x.at(m.X), float64(style.Width(name)+gap)/2
		place := span{min: middle - half, max: middle + half}
		row := slices.IndexFunc(l.rows[:], func(row []markLabel) bool {
			return !slices.ContainsFunc(row, func(l markLabel) bool { return place.min < l.place.max && place.max > l.place.min })
		})
		if row >= 0 {
			l.rows[row] = append(l.rows[row], markLabel{i, name, place})
		}
	}
	return l
}

// markName names the curve too where there are several.
func (s *scene) markName(m chart.Mark) string {
	if curvesOf(s.marks) > 1 {
		for _, l := range s.lines {
			if l.Kind == chart.Measured && l.Curve != nil && *l.Curve == m.Curve {
				return units.OneLine(m.Name + " " + l.Name)
			}
		}
	}
	return units.OneLine(m.Name)
}

func (l *markLabels) height() (h vg.Length) {
	for _, row := range l.rows {
		if len(row) > 0 {
			h += captionSize * lineSpacing
		}
	}
	return h
}

// draw writes the labels above the plot, each over its mark as far as the image has space.
func (l *markLabels) draw(c draw.Canvas) {
	for row, labels := range l.rows {
		for _, label := range labels {
			m := l.scene.marks[label.mark]
			style := style(plainFont, captionSize, l.scene.markColour(m))
			half := style.Width(label.text) / 2
			x := max(border+half, min(c.X(l.scene.x.at(m.X)), pageWidth-border-half))
			c.FillText(style, vg.Point{X: x - half, Y: c.Max.Y + 3 + vg.Length(row)*captionSize*lineSpacing}, label.text)
		}
	}
}
