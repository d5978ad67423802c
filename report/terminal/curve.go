package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"getio/record"
	"getio/report"
)

// Curve is a curve as it grows, on standard error: a line for each finished size
// and, on a terminal that has the room, the curve so far below the lines, drawn
// again in its place. It uses no colours.
//
// Invariant: between two calls the cursor is at the beginning of the line below the
// curve. Progress that is shown there has to be cleared first.
type Curve struct {
	out  io.Writer
	room func() (columns, rows int) // of the terminal; 0 where nothing can be drawn
	rows int                        // of the curve that is there
}

// NewCurve draws only if the curve is for people and out is a terminal.
func NewCurve(out io.Writer, draw bool) *Curve {
	c := &Curve{out: out, room: func() (int, int) { return 0, 0 }}
	if draw && DrawsOn(out) {
		c.room = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(out.(*os.File).Fd()))
			return columns, rows
		}
	}
	return c
}

// DrawsOn reports whether out is a terminal on which the cursor can be moved.
func DrawsOn(out io.Writer) bool {
	return IsTerminal(out) && os.Getenv("TERM") != "dumb"
}

// IsTerminal reports whether out is a terminal.
func IsTerminal(out io.Writer) bool {
	f, isFile := out.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd()))
}

// Add writes the line of a finished size above the curve of all results.
func (c *Curve) Add(line string, results []*record.Result) {
	var curve bytes.Buffer
	report.Curve(&curve, results) // a buffer refuses nothing
	text := c.erasure() + line + "\n"
	height := bytes.Count(curve.Bytes(), []byte("\n"))
	// The line and the progress need two rows more.
	if columns, rows := c.room(); columns >= report.Width && rows >= height+2 {
		text += curve.String()
		c.rows = height
	}
	io.WriteString(c.out, text)
}

// Erase takes the curve away and leaves the lines.
func (c *Curve) Erase() { io.WriteString(c.out, c.erasure()) }

// erasure moves up to the first line of the curve, and clears all from there on. A curve that the
// terminal has become too small for has lines broken, or scrolled out of reach: it stays.
func (c *Curve) erasure() string {
	n := c.rows
	c.rows = 0
	if columns, rows := c.room(); n == 0 || columns < report.Width || rows <= n {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\x1b[J", n)
}
