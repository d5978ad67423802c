package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"getio/record"
	"getio/report"
)

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

// Erase takes away what is shown in its place.
func (w *Watch) Erase() { w.erase() }

func firstLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:min(n, len(lines))], "")
}
