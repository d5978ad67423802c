package report

import (
	"fmt"

	"getio/record"
)

// FinishedCache is a finished cache size of a sweep in one line, without its end: the
// figure, its interval and whether it is steady; of a continued run its figure and its last one.
// A run whose self-checks failed has no figure.
func FinishedCache(r *record.Result) string {
	at := fmt.Sprintf("%s (%s): ", cacheSize(r), fractionOfDB(r))
	if !r.Checks.Hold() {
		return at + "no figure, self-check failed: " + failedNames(r)
	}
	if n := len(r.Continued); n > 0 {
		last := r.Continued[n-1].IOsPerGet
		last.CI95 = nil // there is no room for it
		return fmt.Sprintf("%s: %s, then %s", cacheSize(r), meanCell(r), finishedFigure(r.Workload, last))
	}
	return at + finishedFigure(r.Workload, r.IOsPerGet)
}

func finishedFigure(w record.Workload, io record.IOsPerGet) string {
	figure := fmt.Sprintf("%.3f", io.Mean)
	if io.CI95 != nil {
		figure += " ±" + halfWidth(io)
	}
	figure += " I/Os per " + w.Words().One + ", "
	switch {
	case io.Steady == nil:
		return figure + "unknown if steady"
	case *io.Steady:
		return figure + "steady"
	case io.Drift == nil:
		return figure + "not steady"
	}
	return figure + steadyCell(io)
}
