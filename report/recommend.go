package report

import (
	"fmt"
	"math"
	"strings"

	"getio/record"
)

// What counts as about two, and about one, I/O per Get.
const (
	aboutTwo = 2.05
	aboutOne = 1.1
)

// Recommendation is which cache to take, as far as measurements tell.
type Recommendation struct {
	Two Target // about 2 I/Os per Get: index and data block
	One Target // about 1 I/O per Get: the data block alone

	// The measurements that do not count: runs whose self-checks failed, those
	// that had not come to rest, and those too short to tell.
	Failed, Unsteady, Unknown []*record.Result
}

// Target is a number of I/Os per Get to be reached.
type Target struct {
	IOsPerGet int     // the round number
	Limit     float64 // the mean that still counts as reaching it
	// Cache is the measurement with the smallest cache that reaches it. Nil if
	// none does; then Closest is the one that comes closest, if any counts.
	Cache, Closest *record.Result
	// Smallest tells that no smaller cache was measured that counts, so that a
	// smaller one might reach the target too.
	Smallest bool
}

// Recommend picks the caches out of measurements of one database.
func Recommend(results []*record.Result) Recommendation {
	var rec Recommendation
	var counted []*record.Result
	for _, r := range bySize(results) {
		switch {
		case !r.Checks.Hold():
			rec.Failed = append(rec.Failed, r)
		case !measured(r) || r.IOsPerGet.Steady == nil:
			rec.Unknown = append(rec.Unknown, r)
		case !steadyRun(r):
			rec.Unsteady = append(rec.Unsteady, r)
		default:
			counted = append(counted, r)
		}
	}
	rec.Two = reach(Target{IOsPerGet: 2, Limit: aboutTwo}, counted)
	rec.One = reach(Target{IOsPerGet: 1, Limit: aboutOne}, counted)
	return rec
}

// reach fills in a target; counted is sorted by cache size.
func reach(t Target, counted []*record.Result) Target {
	lowest := math.Inf(1)
	for i, r := range counted {
		mean := r.IOsPerGet.Mean
		if mean <= t.Limit {
			t.Cache, t.Closest = r, nil
			t.Smallest = i == 0
			return t
		}
		if mean < lowest {
			t.Closest, lowest = r, mean
		}
	}
	return t
}

func recommendation(p *page, rec Recommendation) {
	p.line("Recommended cache")
	p.field("  2 I/Os", targetText(rec.Two))
	p.field("  1 I/O", targetText(rec.One))
	leftOut(p, "not steady", rec.Unsteady)
	leftOut(p, "too short to tell whether steady", rec.Unknown)
	leftOut(p, "failed self-checks", rec.Failed)
}

func targetText(t Target) string {
	switch {
	case t.Cache != nil && t.Smallest:
		return reached(t.Cache) + ". No smaller cache that counts was measured; one may do."
	case t.Cache != nil:
		return reached(t.Cache) + "."
	case t.Closest != nil:
		return fmt.Sprintf("None of the measured sizes reaches it (a mean of at most %.4g). Closest: %s.", t.Limit, reached(t.Closest))
	default:
		return "No measurement counts, so there is nothing to recommend."
	}
}

func reached(r *record.Result) string {
	return fmt.Sprintf("%s, %s of the database, made %s I/Os per Get", cacheSize(r), fractionOfDB(r), meanCell(r))
}

func leftOut(p *page, why string, results []*record.Result) {
	if len(results) == 0 {
		return
	}
	sizes := make([]string, len(results))
	for i, r := range results {
		sizes[i] = cacheSize(r)
	}
	p.field("  Not counted", fmt.Sprintf("%s (%s).", strings.Join(sizes, ", "), why))
}
