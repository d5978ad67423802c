// Package terminal shows work under way to people, on standard error: progress, how long it will
// take, and a curve that grows.
package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"

	"getio/report"
)

const (
	// quietFor is how long a command works before it shows progress.
	quietFor = time.Second
	// lineEvery is how often progress is a line where there is no terminal.
	lineEvery = 10 * time.Second
)

// Progress shows how far a command is: a bar on a terminal, a line now and then
// elsewhere. It is safe for concurrent use.
type Progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	began    time.Time // of the command
	phase    string
	since    time.Time // of the phase
	from     uint64    // where the phase began
	shown    time.Time
	bar      *progressbar.ProgressBar
}

// NewProgress returns the progress of a command that begins now.
func NewProgress(out io.Writer) *Progress {
	return &Progress{out: out, terminal: DrawsOn(out), began: time.Now()}
}

// Show shows that a phase has done that many units of a total, 0 if it is unknown, and a
// note. The first line appears as soon as the command has run for quietFor.
func (p *Progress) Show(phase string, done, total uint64, unit, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if phase != p.phase {
		p.clear()
		p.phase, p.since, p.from = phase, now, done
	}
	switch {
	case now.Sub(p.began) < quietFor:
	case p.terminal:
		p.showBar(done, total, unit, note)
	case now.Sub(p.shown) >= lineEvery:
		p.shown = now
		fmt.Fprintln(p.out, p.line(done, total, unit, note, now.Sub(p.since)))
	}
}

// Finish clears the bar.
func (p *Progress) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
		p.bar = nil
	}
}

func (p *Progress) showBar(done, total uint64, unit, note string) {
	limit := int64(total)
	if total == 0 {
		limit = -1
	}
	if p.bar != nil && p.bar.GetMax64() != limit {
		p.bar.ChangeMax64(limit)
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(limit,
			progressbar.OptionSetWriter(p.out), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit), progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine draws a bar of its own
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
	}
	description := p.phase
	if note != "" {
		description += ", " + note
	}
	p.bar.Describe(description)
	p.bar.Set64(int64(done))
}

// line is what a phase has done in the time that it took. What has no room in report.Width is left out:
// the speed first, then the note.
func (p *Progress) line(done, total uint64, unit, note string, took time.Duration) string {
	if done == 0 && total == 0 {
		return p.phase + ": under way"
	}
	rate := float64(done-p.from) / took.Seconds()
	line := fmt.Sprintf("%s: %s", p.phase, humanize.Comma(int64(done)))
	if total > 0 {
		line += fmt.Sprintf(" of %s", humanize.Comma(int64(total)))
	}
	line += " " + unit
	if total > 0 {
		line += fmt.Sprintf(" (%.0f%%)", 100*float64(done)/float64(total))
	}
	var speed, rest string
	if rate > 0 {
		speed = fmt.Sprintf(", %s/s", humanize.Comma(int64(rate)))
		if total > done {
			rest = ", " + time.Duration(float64(total-done)/rate*float64(time.Second)).Round(time.Second).String() + " to go"
		}
	}
	if note != "" {
		note = ", " + note
	}
	fits := func(text string) bool { return utf8.RuneCountInString(text) <= report.Width }
	switch {
	case fits(line + speed + rest + note):
		return line + speed + rest + note
	case fits(line + rest + note):
		return line + rest + note
	}
	return line + rest
}
