package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// The canvas of a curve. With the marks above it and the axis, sizes and legend below it, it takes a dozen lines.
const (
	curveRows   = 9
	curveMargin = 8 // columns left of it: "   2.4 |"
	curveCols   = Width - curveMargin
	curveSteps  = curveRows / 2 // between labels, which stand at every other row
)

// Curve draws I/Os per Get against the cache size, on a logarithmic axis, with both inflection
// points and the published figures. Runs whose self-checks failed are left out.
func Curve(w io.Writer, results []*record.Result) error {
	p := newPrinter(w)
	points := slices.DeleteFunc(study.BySize(results), func(r *record.Result) bool {
		return !r.Checks.Hold() || !r.Measured() || r.Cache.Bytes <= 0
	})
	if len(points) == 0 {
		p.prose("There are no measurements to draw.")
		return p.flush()
	}
	newCurve(points).draw(p)
	return p.flush()
}

// curve is a canvas and the scales that place measurements on it.
type curve struct {
	points []*record.Result
	canvas [curveRows][]byte
	low    float64 // I/Os per Get at the lowest row
	step   float64 // and between two labels
}

func newCurve(points []*record.Result) *curve {
	c := &curve{points: points}
	for i := range c.canvas {
		c.canvas[i] = []byte(pad("", curveCols))
	}
	lowest, highest := math.Inf(1), 0.0
	for _, r := range points {
		lowest, highest = min(lowest, r.IOsPerGet.Mean), max(highest, r.IOsPerGet.Mean)
		if ios, ok := r.PublishedIOs(); ok {
			lowest, highest = min(lowest, ios), max(highest, ios)
		}
	}
	c.low, c.step = roundScale(lowest, highest)
	return c
}

// roundScale finds the smallest round step between labels that fits all means. It is at
// least 0.1, so that noise does not fill the canvas.
func roundScale(lowest, highest float64) (low, step float64) {
	for unit := 0.1; ; unit *= 10 {
		for n := 1.0; n <= 5; n++ {
			step = n * unit
			low = math.Floor(lowest/step) * step
			if highest <= low+curveSteps*step {
				return low, step
			}
		}
	}
}

func (c *curve) draw(p *printer) {
	if names := c.drawPoints(); names != "" {
		p.line(pad("", curveMargin) + names)
	}
	c.drawLine()
	published := false
	for _, r := range c.points {
		if ios, ok := r.PublishedIOs(); ok {
			published = true
			*c.cell(ios, r.Cache.Bytes) = 'P'
		}
	}
	for _, r := range c.points {
		switch cell := c.cell(r.IOsPerGet.Mean, r.Cache.Bytes); {
		case *cell == 'P':
			*cell = '#'
		case r.IOsPerGet.IsSteady():
			*cell = '*'
		default:
			*cell = 'o'
		}
	}
	for row, cells := range c.canvas {
		p.line(c.rowLabel(row) + string(cells))
	}
	p.line(pad("", curveMargin-1) + "+" + strings.Repeat("-", curveCols))
	p.line(pad("", curveMargin) + c.sizes())
	p.prose("I/Os per " + c.points[0].Workload.Words().One + " by cache size (logarithmic); * steady, o not known to be steady" +
		units.If(published, "; P published, # both"))
}

func (c *curve) cell(ios float64, cache int64) *byte { return &c.canvas[c.row(ios)][c.col(cache)] }

func (c *curve) rowLabel(row int) string {
	if row%2 == 1 {
		return pad("", curveMargin-1) + "|"
	}
	decimals := 0
	if c.step < 1 {
		decimals = 1
	}
	return fmt.Sprintf("%*.*f |", curveMargin-2, decimals, c.low+c.step*float64(curveSteps-row/2))
}

func (c *curve) row(ios float64) int {
	return curveRows - 1 - int(math.Round(2*(ios-c.low)/c.step))
}

// col is the column of a cache size; a single size stands in the middle.
func (c *curve) col(bytes int64) int {
	lo, hi := math.Log(float64(c.points[0].Cache.Bytes)), math.Log(float64(c.points[len(c.points)-1].Cache.Bytes))
	if lo == hi {
		return curveCols / 2
	}
	return int(math.Round((math.Log(float64(bytes)) - lo) / (hi - lo) * (curveCols - 1)))
}

func (c *curve) drawLine() {
	for i := 1; i < len(c.points); i++ {
		a, b := c.points[i-1], c.points[i]
		from, to := c.col(a.Cache.Bytes), c.col(b.Cache.Bytes)
		for x := from + 1; x < to; x++ {
			t := float64(x-from) / float64(to-from)
			c.canvas[c.row(a.IOsPerGet.Mean+t*(b.IOsPerGet.Mean-a.IOsPerGet.Mean))][x] = '.'
		}
	}
}

// drawPoints draws a column for each inflection point that lies between the measured sizes, and returns the line with
// their names. They are one point if no index has a second level.
func (c *curve) drawPoints() string {
	names := []byte(pad("", curveCols))
	shape := sweepShape(c.points)
	if shape == nil {
		return ""
	}
	draw := func(name string, bytes int64) {
		if bytes < c.points[0].Cache.Bytes || bytes > c.points[len(c.points)-1].Cache.Bytes {
			return
		}
		x := c.col(bytes)
		for _, cells := range c.canvas {
			cells[x] = ':'
		}
		place(names, x, name)
	}
	if shape.IP1Bytes == shape.IP2Bytes {
		draw("IP1,2", shape.IP1Bytes)
	} else {
		draw("IP1", shape.IP1Bytes)
		draw("IP2", shape.IP2Bytes)
	}
	return strings.TrimRight(string(names), " ")
}

// sizes labels the measured sizes, as many as there is space for: the ends first, then from left to right.
func (c *curve) sizes() string {
	line := []byte(pad("", curveCols))
	for _, r := range slices.Concat(c.points[:1], c.points[len(c.points)-1:], c.points) {
		place(line, c.col(r.Cache.Bytes), units.Size(r.Cache.Bytes))
	}
	return strings.TrimRight(string(line), " ")
}

// place centres a label on a column of a line, or moves it to keep it on the line. It
// does nothing if another label is in the way.
func place(line []byte, col int, label string) {
	start := min(max(0, col-len(label)/2), len(line)-len(label))
	around := line[max(0, start-2):min(len(line), start+len(label)+2)]
	if strings.TrimSpace(string(around)) == "" {
		copy(line[start:], label)
	}
}
