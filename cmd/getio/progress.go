package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

const (
	// quietFor is how long a command works before it shows progress.
	quietFor = time.Second
	// lineEvery is how often progress is a line where there is no terminal.
	lineEvery = 10 * time.Second
)

// meter shows progress on standard error: a bar on a terminal, a line now and
// then elsewhere. It is safe for concurrent use.
type meter struct {
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

func newMeter(c *cobra.Command) *meter {
	return &meter{out: c.ErrOrStderr(), terminal: drawsOn(c.ErrOrStderr()), began: time.Now()}
}

// show shows that a phase has done that many units of a total, 0 if it is unknown, and a
// note. The first line appears as soon as the command has run for quietFor.
func (m *meter) show(phase string, done, total uint64, unit, note string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if phase != m.phase {
		m.clear()
		m.phase, m.since, m.from = phase, now, done
	}
	switch {
	case now.Sub(m.began) < quietFor:
	case m.terminal:
		m.showBar(done, total, unit, note)
	case now.Sub(m.shown) >= lineEvery:
		m.shown = now
		fmt.Fprintln(m.out, m.line(done, total, unit, note))
	}
}

// finish clears the bar.
func (m *meter) finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
}

func (m *meter) clear() {
	if m.bar != nil {
		m.bar.Clear()
		m.bar = nil
	}
}

func (m *meter) showBar(done, total uint64, unit, note string) {
	if m.bar == nil {
		limit := int64(total)
		if total == 0 {
			limit = -1
		}
		m.bar = progressbar.NewOptions64(limit,
			progressbar.OptionSetWriter(m.out), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit), progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine draws a bar of its own
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
	}
	description := m.phase
	if note != "" {
		description += ", " + note
	}
	m.bar.Describe(description)
	m.bar.Set64(int64(done))
}

func (m *meter) line(done, total uint64, unit, note string) string {
	rate := float64(done-m.from) / time.Since(m.since).Seconds()
	line := fmt.Sprintf("%s: %s", m.phase, humanize.Comma(int64(done)))
	if total > 0 {
		line += fmt.Sprintf(" of %s", humanize.Comma(int64(total)))
	}
	line += " " + unit
	if total > 0 {
		line += fmt.Sprintf(" (%.0f%%)", 100*float64(done)/float64(total))
	}
	if rate > 0 {
		line += fmt.Sprintf(", %s/s", humanize.Comma(int64(rate)))
		if total > done {
			line += ", " + time.Duration(float64(total-done)/rate*float64(time.Second)).Round(time.Second).String() + " to go"
		}
	}
	if note != "" {
		line += ", " + note
	}
	return line
}
