package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"getio/record"
	"getio/report"
)

// screen is a text that is drawn again in its place, on standard error.
type screen struct {
	out  io.Writer
	room func() (columns, rows int) // of the terminal; 0 where nothing can be drawn
	rows int                        // of the text that is there
}

func newScreen(out io.Writer, draw bool) screen {
	s := screen{out: out, room: func() (int, int) { return 0, 0 }}
	if draw && DrawsOn(out) {
		s.room = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(out.(*os.File).Fd()))
			return columns, rows
		}
	}
	return s
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

// draw writes lines that stay, and below them the text in place of the one before if there is room for it.
func (s *screen) draw(lines, text string) {
	out := s.erasure() + lines
	height := strings.Count(text, "\n")
	// The lines and the progress need two rows more.
	if columns, rows := s.room(); columns >= report.Width && rows >= height+2 {
		out += text
		s.rows = height
	}
	io.WriteString(s.out, out)
}

// Erase takes the text away and leaves the lines.
func (s *screen) Erase() { io.WriteString(s.out, s.erasure()) }

// erasure moves up to the first line of the text, and clears all from there on. A text that the
// terminal has become too small for has lines broken, or scrolled out of reach: it stays.
func (s *screen) erasure() string {
	n := s.rows
	s.rows = 0
	if columns, rows := s.room(); n == 0 || columns < report.Width || rows <= n {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\x1b[J", n)
}

// Curve is a curve as it grows, on standard error: a line for each finished size and, on a terminal that has the room,
// the curve so far below the lines, drawn again in its place. It uses no colours.
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

// Watch shows what a process has read so far: in its place on a terminal that has the room, and a
// line now and then elsewhere.
type Watch struct {
	screen
	shown time.Time // the last line
}

// NewWatch returns a Watch that is shown on out.
func NewWatch(out io.Writer) *Watch { return &Watch{screen: newScreen(out, true), shown: time.Now()} }

// Show shows what was counted so far. What the terminal has no rows for is left out at the end.
func (w *Watch) Show(r *record.Watch) {
	if columns, rows := w.room(); columns >= report.Width && rows > 2 {
		var text bytes.Buffer
		report.Watch(&text, r) // a buffer refuses nothing
		w.draw("", firstLines(text.String(), rows-2))
		return
	}
	if now := time.Now(); now.Sub(w.shown) >= lineEvery {
		w.shown = now
		fmt.Fprintln(w.out, report.WatchLine(r))
	}
}

func firstLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:min(n, len(lines))], "")
}
