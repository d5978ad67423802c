package image

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
		name := shortened(clean(line.Name), longest, width)
		l.names = append(l.names, name)
		l.width = max(l.width, sampleWidth+gap+slack*width(name))
	}
	fit := max(1, int((innerWidth+columnGap)/(l.width+columnGap)))
	l.rows = (len(l.names) + fit - 1) / fit
	l.columns = (len(l.names) + l.rows - 1) / l.rows
	return l
}

func (l *legend) height() vg.Length { return vg.Length(l.rows) * legendSize * lineSpacing }

// draw draws the legend below top.
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
