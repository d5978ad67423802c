package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Sweep writes measurements of one database at several cache sizes as the table of the
// published study, one row per size, and the recommended cache.
func Sweep(w io.Writer, results []*record.Result) error {
	p := newPrinter(w)
	if len(results) == 0 {
		p.prose("There are no measurements.")
		return p.flush()
	}
	sorted := study.BySize(results)
	if sorted[0].Counted == record.CountedOutside {
		tablesSweep(p, sorted)
	} else {
		sweepTable(p, sorted)
	}
	sweepNotes(p, sorted)
	p.blank()
	sweepSingles(p, sorted)
	sweepLayers(p, sorted)
	if plainGets(sorted) {
		recommendation(p, study.Recommend(sorted))
	}
	return p.flush()
}

func sweepTable(p *printer, sorted []*record.Result) {
	rows, marks := make([]cacheRow, len(sorted)), pointMarks(sorted)
	for i, r := range sorted {
		rows[i] = cacheRow{Result: r, size: cacheSize(r), share: fractionOfDB(r), mark: marks[i]}
	}
	p.table(cacheTable(rows, sorted[0].Workload.Words().One))
}

// nearPoint is how far a cache may be from an inflection point, as a ratio, to be the row
// of that point.
const nearPoint = 1.1

// pointMarks marks the rows whose cache is nearest to IP1 and to IP2, if it is near at
// all. Every measurement of that size gets the mark.
func pointMarks(sorted []*record.Result) []string {
	marks := make([]string, len(sorted))
	shape := sweepShape(sorted)
	if shape == nil {
		return marks
	}
	first, second := nearest(sorted, shape.IP1Bytes), nearest(sorted, shape.IP2Bytes)
	for i, r := range sorted {
		switch b := r.Cache.Bytes; {
		case b == 0:
		case b == first && b == second:
			marks[i] = "IP1,2"
		case b == first:
			marks[i] = "IP1"
		case b == second:
			marks[i] = "IP2"
		}
	}
	return marks
}

// nearest is the cache size nearest to a point; 0 if none is near.
func nearest(sorted []*record.Result, point int64) int64 {
	best, ratio := int64(0), nearPoint
	for _, r := range sorted {
		b := r.Cache.Bytes
		if b <= 0 || point <= 0 {
			continue
		}
		if d := math.Exp(math.Abs(math.Log(float64(b) / float64(point)))); d <= ratio {
			best, ratio = b, d
		}
	}
	return best
}

// sweepShape is the shape of the tree of the sweep.
func sweepShape(results []*record.Result) *record.Shape {
	return firstKnown(results, func(r *record.Result) *record.Shape { return r.Shape })
}

func sweepNotes(p *printer, sorted []*record.Result) {
	pointsNote(p, sorted)
	if text := distinct(sorted, orElse, func(r *record.Result) string { return say("workload", r) }); text != "" {
		p.field("Workload", text)
	}
	if slices.ContainsFunc(sorted, func(r *record.Result) bool { return r.Checks.Hold() && estimated(r) }) {
		p.prose(say("estimated", nil))
	}
	for _, r := range sorted {
		if !r.Checks.Hold() {
			p.prose(failedAt(cacheSize(r), r))
		}
	}
}

// pointsNote explains the inflection points.
func pointsNote(p *printer, sorted []*record.Result) {
	if shape := sweepShape(sorted); shape != nil {
		p.text("inflection points", shape)
		if i := slices.IndexFunc(sorted, func(r *record.Result) bool { return onlyWithMemtables(&r.Cache, shape) }); i >= 0 {
			p.prose(fmt.Sprintf("IP1 and IP2 are without the %s that memtables take of each cache.", units.Size(sorted[i].Cache.ReservedBytes)))
		}
	}
}

// onlyWithMemtables reports whether a cache is as large as an inflection point, but its part for blocks is not.
func onlyWithMemtables(c *record.Cache, shape *record.Shape) bool {
	return slices.ContainsFunc([]int64{shape.IP1Bytes, shape.IP2Bytes}, func(point int64) bool {
		return c.Bytes >= point && c.Bytes-c.ReservedBytes < point
	})
}

func recommendation(p *printer, rec study.Recommendation) {
	p.line("Recommended cache")
	p.field("  2 I/Os", say("recommended", rec.Two))
	p.field("  1 I/O", say("recommended", rec.One))
	leftOut(p, "not steady", rec.Unsteady)
	leftOut(p, "too short to tell whether steady: raise --gets or --time", rec.Unknown)
	leftOut(p, "failed self-checks", rec.Failed)
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
