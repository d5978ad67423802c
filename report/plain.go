package report

import (
	"io"
	"strings"

	"getio/record"
)

// Diagnosis writes what a directory holds, and which commands would work on it.
func Diagnosis(w io.Writer, d *record.Diagnosis) error {
	p := newPrinter(w)
	p.text("diagnosis", d)
	p.blank()
	var works []string
	for _, c := range d.Commands {
		if c.Works {
			works = append(works, c.Command)
		}
	}
	p.field("Would work", orAbsent(strings.Join(works, ", ")))
	for _, c := range d.Commands {
		if !c.Works {
			p.field("Would not", c.Command+": "+c.Why)
		}
	}
	return p.flush()
}

// ExternalCount writes what a command read from a private disk.
func ExternalCount(w io.Writer, r *record.ExternalCount) error { return writeText(w, "count", r) }

// ChainMade writes what the chain that getio made in dir holds, and how fast it was made.
func ChainMade(w io.Writer, dir string, m *record.ChainMade) error {
	return writeText(w, "chain made", struct {
		*record.ChainMade
		Dir string
	}{m, dir})
}

// FinishedCache is a finished cache size of a sweep in one line, without its end: the
// figure, its interval and whether it is steady; of a continued run its figure and its last one.
// A run whose self-checks failed has no figure.
func FinishedCache(r *record.Result) string { return say("finished cache", r) }
