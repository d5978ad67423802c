package report

import (
	"fmt"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Findings sums the records of a curve up in sentences: from which cache on a Get costs
// about two and about one I/Os, and which runs do not count, and why. The sentences
// contain figures and sizes, but no text of the records.
func Findings(c *study.Curve) (sentences []string) {
	rec := c.Recommendation
	switch {
	case len(c.Runs) == 0 && len(c.Failed) == 0:
		return predictedFindings(c)
	case rec.Two.Cache == nil && rec.Two.Closest == nil && len(c.Runs) > 0:
		sentences = append(sentences, "No run is known to be steady, so no cache can be recommended.")
	case len(c.Runs) > 0:
		if plainGets(c.Runs) {
			sentences = append(sentences, targetFinding(rec.Two), targetFinding(rec.One))
		}
	}
	unsteady := slices.DeleteFunc(slices.Clone(c.Runs), (*record.Result).EndsSteady)
	n := len(unsteady)
	if n == 0 && len(c.Runs) > 0 {
		sentences = append(sentences, fmt.Sprintf("%s became steady.", everyRun(len(c.Runs))))
	}
	if n > 0 {
		sentences = append(sentences, fmt.Sprintf("%d of %s not known to be steady: %s.", n, countAre(len(c.Runs), "run"), sizes(unsteady)))
	}
	if n := len(c.Superseded); n > 0 {
		sentences = append(sentences, fmt.Sprintf("%s left out, since a steadier, longer or later run has the same cache: %s.", countAre(n, "run"), sizes(c.Superseded)))
	}
	if len(c.Failed) > 0 {
		sentences = append(sentences, fmt.Sprintf("Failed self-checks at %s: no figure of %s counts.",
			sizes(study.BySize(c.Failed)), units.Plural(int64(len(c.Failed)), "run")))
	}
	return sentences
}

func everyRun(n int) string {
	switch n {
	case 1:
		return "The run"
	case 2:
		return "Both runs"
	}
	return fmt.Sprintf("All %d runs", n)
}

// countAre is a count with its verb.
func countAre(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}

func targetFinding(t study.Target) string {
	if t.Cache == nil {
		return fmt.Sprintf("No measured cache reaches about %s per Get; the closest is %s.", ios(t), cacheAndCost(t.Closest, ""))
	}
	found := fmt.Sprintf("%s %s per Get from %s.", targetWords(t, t.Cache.Last().Mean), ios(t), cacheAndCost(t.Cache, " on"))
	if t.Smallest {
		found += " It is the smallest that was measured long enough to tell; a smaller one may do."
	}
	return found
}

// targetWords begins a sentence about a cache that reaches a target; its cost may be far less.
func targetWords(t study.Target, cost float64) string {
	if cost < float64(t.IOsPerGet)-0.25 {
		return "At most"
	}
	return "About"
}

func stillFalling(r *record.Result) string {
	if r.Last().StillFalling() {
		return ", still falling"
	}
	return ""
}

func ios(t study.Target) string { return units.Plural(int64(t.IOsPerGet), "I/O") }

// cacheAndCost says which cache a run had, and the cost of its last Gets.
func cacheAndCost(r *record.Result, on string) string {
	return withShare(cacheSize(r), fractionOfDB(r)) + on + ": " + iosPerGet(r.Last().Mean) + stillFalling(r)
}

// mostSizes is how many sizes a sentence lists.
const mostSizes = 8

func sizes(results []*record.Result) string {
	var list []string
	for _, r := range results[:min(len(results), mostSizes)] {
		list = append(list, cacheSize(r))
	}
	if more := len(results) - mostSizes; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list, ", "), more)
	}
	return strings.Join(list, ", ")
}

// predictedFindings are those of a curve without measurements.
func predictedFindings(c *study.Curve) []string {
	sentences := []string{"Nothing was measured: all figures are predicted."}
	for _, t := range []study.Target{c.Recommendation.Two, c.Recommendation.One} {
		sentences = append(sentences, predictedTarget(c, t))
	}
	return sentences
}

// predictedTarget uses the steady figure where that is predicted.
func predictedTarget(c *study.Curve, t study.Target) string {
	var closest *record.Prediction
	for _, p := range c.Predictions {
		y := predictedIOs(p)
		if y == nil {
			continue
		}
		if *y <= t.Limit {
			return fmt.Sprintf("%s %s per Get is predicted from %s on: %s.", targetWords(t, *y), ios(t), predictedCache(c, p), iosPerGet(*y))
		}
		if closest == nil || *y < *predictedIOs(closest) {
			closest = p
		}
	}
	if closest == nil {
		return fmt.Sprintf("There is no prediction for %s per Get.", ios(t))
	}
	return fmt.Sprintf("No cache is predicted to reach about %s per Get; the closest is %s: %s.", ios(t), predictedCache(c, closest), iosPerGet(*predictedIOs(closest)))
}

func predictedIOs(p *record.Prediction) *float64 {
	if p.IOsPerGet.Steady != nil {
		return p.IOsPerGet.Steady
	}
	return p.IOsPerGet.Window
}

func predictedCache(c *study.Curve, p *record.Prediction) string {
	return withShare(units.Size(p.Cache.Bytes), units.PercentOf(p.Cache.Bytes, c.Bytes()))
}

func withShare(cache, share string) string {
	if share == units.Absent {
		return cache
	}
	return fmt.Sprintf("%s (%s of the database)", cache, share)
}
