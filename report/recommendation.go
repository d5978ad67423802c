package report

import (
	"fmt"
	"strings"

	"getio/record"
	"getio/report/study"
)

func recommendation(p *printer, rec study.Recommendation) {
	p.line("Recommended cache")
	p.field("  2 I/Os", targetText(rec.Two))
	p.field("  1 I/O", targetText(rec.One))
	leftOut(p, "not steady", rec.Unsteady)
	leftOut(p, "too short to tell whether steady", rec.Unknown)
	leftOut(p, "failed self-checks", rec.Failed)
}

func targetText(t study.Target) string {
	switch {
	case t.Cache != nil && t.Smallest:
		return reached(t.Cache) + ". No smaller cache was measured long enough to tell; a smaller one may do."
	case t.Cache != nil:
		return reached(t.Cache) + "."
	case t.Closest != nil:
		return fmt.Sprintf("None of the measured sizes reaches a mean of at most %.4g. Closest: %s.", t.Limit, reached(t.Closest))
	default:
		return "No measurement counts, so no cache can be recommended."
	}
}

func reached(r *record.Result) string {
	return fmt.Sprintf("%s, %s of the database, made %s I/Os per Get%s", cacheSize(r), fractionOfDB(r), iosPerGet(r.Last().Mean), stillFalling(r))
}

func leftOut(p *printer, why string, results []*record.Result) {
	if len(results) == 0 {
		return
	}
	sizes := make([]string, len(results))
	for i, r := range results {
		sizes[i] = cacheSize(r)
	}
	p.field("  Not counted", fmt.Sprintf("%s (%s).", strings.Join(sizes, ", "), why))
}
