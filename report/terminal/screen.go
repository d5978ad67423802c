package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

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

// draw writes lines that stay, and below them the text in place of the one before if there is
// room for it.
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

func (s *screen) erase() { io.WriteString(s.out, s.erasure()) }

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
