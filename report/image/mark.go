package image

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"getio/report/chart"
)

// mostMarked is the largest number of curves whose marks can be told apart.
const mostMarked = 3

// takeMarks takes the marks that lie on the X axis.
func (s *scene) takeMarks() {
	curves := map[int]bool{}
	for _, m := range s.chart.Marks {
		curves[m.Curve] = true
	}
	if len(curves) > mostMarked {
		return
	}
	for _, m := range s.chart.Marks {
		if x := s.positionX(m.X, m.Share); x != nil && *x >= s.x.min && *x <= s.x.max {
			m.X = *x
			s.marks = append(s.marks, m)
		}
	}
}

// markColour returns the colour of the curve's lines, or grey in a chart whose colours
// mean something else.
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

// markLabels are the names of marks above the plot, in up to two rows. Labels that would
// overlap are left out.
type markLabels struct {
	scene *scene
	rows  [2][]markLabel
}

type markLabel struct {
	mark int
	text string
}

// newMarkLabels places the labels along the axis, which is nearly as long as the image is wide.
func newMarkLabels(s *scene) *markLabels {
	l := &markLabels{scene: s}
	style := style(plainFont, captionSize, black)
	length := innerWidth - 4*labelSize
	taken := [2][]span{}
	for i, m := range s.marks {
		name := shortened(s.markName(m), longestMark, style.Width)
		middle, half := float64(length)*s.x.at(m.X), float64(style.Width(name)+gap)/2
		for row := range l.rows {
			if free(taken[row], middle-half, middle+half) {
				taken[row] = append(taken[row], span{min: middle - half, max: middle + half})
				l.rows[row] = append(l.rows[row], markLabel{i, name})
				break
			}
		}
	}
	return l
}

func free(taken []span, from, to float64) bool {
	for _, t := range taken {
		if from < t.max && to > t.min {
			return false
		}
	}
	return true
}

// markName names the curve too where there are several.
func (s *scene) markName(m chart.Mark) string {
	curves := map[int]bool{}
	for _, other := range s.marks {
		curves[other.Curve] = true
	}
	if len(curves) > 1 {
		for _, l := range s.lines {
			if l.Kind == chart.Measured && l.Curve != nil && *l.Curve == m.Curve {
				return clean(m.Name + " " + l.Name)
			}
		}
	}
	return clean(m.Name)
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
			x := c.X(l.scene.x.at(m.X))
			x = vg.Length(math.Max(float64(border+half), math.Min(float64(x), float64(pageWidth-border-half))))
			c.FillText(style, vg.Point{X: x - half, Y: c.Max.Y + 3 + vg.Length(row)*captionSize*lineSpacing}, label.text)
		}
	}
}
