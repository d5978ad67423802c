package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"getio/record"
	"getio/report"
)

// growing is a curve as it grows, on standard error: a line for each finished size
// and, on a terminal that has the room, the curve so far below the lines, drawn
// again in its place. It uses no colours.
//
// Invariant: between two calls the cursor is at the beginning of the line below the
// curve. Progress that is shown there has to be cleared first.
type growing struct {
	out  io.Writer
	room func() (columns, rows int) // of the terminal; 0 where nothing can be drawn
	rows int                        // of the curve that is there
}

// newGrowing draws only if the curve is for people and out is a terminal.
func newGrowing(out io.Writer, draw bool) *growing {
	g := &growing{out: out, room: func() (int, int) { return 0, 0 }}
	if draw && drawsOn(out) {
		g.room = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(out.(*os.File).Fd()))
			return columns, rows
		}
	}
	return g
}

// drawsOn reports whether out is a terminal on which the cursor can be moved.
func drawsOn(out io.Writer) bool {
	return isTerminal(out) && os.Getenv("TERM") != "dumb"
}

func isTerminal(out io.Writer) bool {
	f, isFile := out.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd()))
}

// add writes the line of a finished size above the curve of all results.
func (g *growing) add(line string, results []*record.Result) {
	var curve bytes.Buffer
	report.Curve(&curve, results) // a buffer refuses nothing
	text := g.erasure() + line + "\n"
	height := bytes.Count(curve.Bytes(), []byte("\n"))
	// The line and the progress need two rows more.
	if columns, rows := g.room(); columns >= report.Width && rows >= height+2 {
		text += curve.String()
		g.rows = height
	}
	io.WriteString(g.out, text)
}

// erase takes the curve away and leaves the lines.
func (g *growing) erase() { io.WriteString(g.out, g.erasure()) }

// erasure moves up to the first line of the curve, and clears all from there on. A
// curve that the terminal has become too small for has lines broken, or scrolled
// out of reach: it stays.
func (g *growing) erasure() string {
	n := g.rows
	g.rows = 0
	if columns, rows := g.room(); n == 0 || columns < report.Width || rows <= n {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\x1b[J", n)
}
