package report

import (
	"fmt"

	"getio/record"
)

// FinishedCache is a finished cache size of a sweep in one line, without its end: the
// figure, its interval and whether it is steady; of a continued run also its last figure.
// A run whose self-checks failed has no figure.
func FinishedCache(r *record.Result) string {
	at := fmt.Sprintf("%s (%s): ", cacheSize(r), fractionOfDB(r))
	if !r.Checks.Hold() {
		return at + "no figure, self-check failed: " + failedNames(r)
	}
	if n := len(r.Continued); n > 0 {
		return at + meanCell(r) + ", then " + finishedFigure(r.Workload, r.Continued[n-1].IOsPerGet)
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
		return figure + "not known to be steady"
	case *io.Steady:
		return figure + "steady"
	case io.Drift == nil:
		return figure + "not steady"
	}
	return figure + steadyCell(io)
}
