package terminal

import (
	"bytes"
	"io"

	"getio/record"
	"getio/report"
)

// Curve is a curve as it grows, on standard error: a line for each finished size
// and, on a terminal that has the room, the curve so far below the lines, drawn
// again in its place. It uses no colours.
//
// Invariant: between two calls the cursor is at the beginning of the line below the
// curve. Progress that is shown there has to be cleared first.
type Curve struct{ screen }

// NewCurve draws only if the curve is for people and out is a terminal.
func NewCurve(out io.Writer, draw bool) *Curve { return &Curve{newScreen(out, draw)} }

// Add writes the line of a finished size above the curve of all results.
func (c *Curve) Add(line string, results []*record.Result) {
	var curve bytes.Buffer
	report.Curve(&curve, results) // a buffer refuses nothing
	c.draw(line+"\n", curve.String())
}

// Erase takes the curve away and leaves the lines.
func (c *Curve) Erase() { c.erase() }
