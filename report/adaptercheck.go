package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"getio/record"
)

// stepWidth is the width of the longest name of a step.
const stepWidth = 34

// AdapterLog writes the steps of the check of an adapter while it runs.
type AdapterLog struct {
	w             io.Writer
	began         time.Time
	configuration string
}

// NewAdapterLog begins a log.
func NewAdapterLog(w io.Writer) *AdapterLog { return &AdapterLog{w: w, began: time.Now()} }

// Passed writes a step that the adapter passed.
func (l *AdapterLog) Passed(s record.AdapterStep) {
	if s.Configuration != l.configuration {
		l.configuration = s.Configuration
		fmt.Fprintf(l.w, "\nconfiguration %s\n", s.Configuration)
	}
	line := fmt.Sprintf("  %-*s ok   %s", stepWidth, s.Name, s.Detail)
	fmt.Fprintln(l.w, strings.TrimRight(line, " "))
}

// Failed writes the step that the adapter failed.
func (l *AdapterLog) Failed(step string) { fmt.Fprintf(l.w, "  %-*s failed\n", stepWidth, step) }

// Finish writes the result of an adapter that passed all steps.
func (l *AdapterLog) Finish(r *record.AdapterCheck) {
	fmt.Fprintln(l.w)
	for _, c := range r.Configurations {
		fmt.Fprintln(l.w, c)
	}
	fmt.Fprintf(l.w, "%s %s follows the protocol: %d steps in %.1fs\n", r.Engine, r.EngineVersion, len(r.Steps), time.Since(l.began).Seconds())
}
