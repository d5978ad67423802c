// Package terminal shows work under way to people, on standard error: progress, how long it will
// take, and a curve that grows.
package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"

	"getio/numbers/units"
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
	least    time.Duration // the shortest that the phase was estimated to take; 0 before the first estimate
	bar      *progressbar.ProgressBar
}

// NewProgress returns the progress of a command that begins now.
func NewProgress(out io.Writer) *Progress {
	return &Progress{out: out, terminal: DrawsOn(out), began: time.Now()}
}

// Step is Show without a note.
func (p *Progress) Step(phase string, done, total uint64, unit string) {
	p.Show(phase, done, total, unit, "")
}

// Show shows that a phase has done that many units of a total, 0 if it is unknown, and a
// note. Without a unit, only the share is shown. The first line appears as soon as the command has run for quietFor.
func (p *Progress) Show(phase string, done, total uint64, unit, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if phase != p.phase {
		p.clear()
		p.phase, p.since, p.from, p.least = phase, now, done, 0
	}
	switch {
	case now.Sub(p.began) < quietFor:
	case p.terminal:
		p.showBar(done, total, unit, units.Join(p.left(done, total, unit, now.Sub(p.since)), note))
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
		options := []progressbar.Option{
			progressbar.OptionSetWriter(p.out), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(200 * time.Millisecond),
			progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine draws a bar of its own
			progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish(),
		}
		if unit != "" {
			options = append(options, progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit))
		}
		p.bar = progressbar.NewOptions64(limit, options...)
	}
	p.bar.Describe(units.Join(p.phase, note))
	p.bar.Set64(int64(done))
}

// Nothing is estimated before a phase has done so much and taken so long.
const (
	tellingShare = 0.02
	tellingTime  = 3 * time.Second
)

// mostGrowth bounds how much longer all runs may seem to take than estimated before, from when knownShare of them was done.
// Beyond it, no time is shown: it would be wrong again. A load is allowed to slow down.
const (
	mostGrowth = 1.2
	knownShare = 0.05
)

// left is how long a phase takes until its end, if that can be told from what it has done so far.
func (p *Progress) left(done, total uint64, unit string, took time.Duration) string {
	if total <= p.from || done >= total {
		return ""
	}
	share := float64(done-p.from) / float64(total-p.from)
	if share < tellingShare || took < tellingTime {
		return ""
	}
	whole := time.Duration(float64(took) / share)
	if unit == "" && share >= knownShare {
		if p.least == 0 || whole < p.least {
			p.least = whole
		}
		if float64(whole) > mostGrowth*float64(p.least) {
			return "longer than expected"
		}
	}
	left := whole - took
	if left >= time.Hour {
		return left.Round(time.Minute).String() + " to go"
	}
	return left.Round(time.Second).String() + " to go"
}

// line is what a phase has done in the time that it took. What does not fit into report.Width is left out:
// the speed first, then the note.
func (p *Progress) line(done, total uint64, unit, note string, took time.Duration) string {
	if done == 0 && total == 0 {
		return p.phase + ": under way"
	}
	var line, speed string
	if unit != "" {
		line = fmt.Sprintf(" %s", units.Comma(int64(done)))
		if total > 0 {
			line += fmt.Sprintf(" of %s", units.Comma(int64(total)))
		}
		line += " " + unit
		if rate := float64(done-p.from) / took.Seconds(); rate > 0 {
			speed = fmt.Sprintf("%s/s", units.Comma(int64(rate)))
		}
	}
	if share := fmt.Sprintf("%.0f%%", 100*float64(done)/float64(total)); unit == "" {
		line = " " + share
	} else if total > 0 {
		line += " (" + share + ")"
	}
	line = p.phase + ":" + line
	rest := p.left(done, total, unit, took)
	fits := func(text string) bool { return utf8.RuneCountInString(text) <= report.Width }
	for _, text := range []string{units.Join(line, speed, rest, note), units.Join(line, rest, note)} {
		if fits(text) {
			return text
		}
	}
	return units.Join(line, rest)
}
