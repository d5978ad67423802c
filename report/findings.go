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
func Findings(c *study.Curve) []string {
	two := c.Recommendation.Two
	f := findings{Curve: c, OnlyPredicted: len(c.Runs) == 0 && len(c.Failed) == 0}
	f.NoneKnown = len(c.Runs) > 0 && two.Cache == nil && two.Closest == nil
	f.OfGets = len(c.Runs) > 0 && !f.NoneKnown && plainGets(c.Runs)
	f.Unsteady = slices.DeleteFunc(slices.Clone(c.Runs), (*record.Result).EndsSteady)
	return sentences("findings", f)
}

// findings is the data of the text.
type findings struct {
	*study.Curve
	OnlyPredicted bool
	NoneKnown     bool // no run is known to be steady
	OfGets        bool // a cache can be recommended
	Unsteady      []*record.Result
}

// PredictedTarget says from which cache on a target is predicted. It uses the steady figure where that is predicted.
func (f findings) PredictedTarget(t study.Target) string {
	type prediction struct {
		Target  study.Target
		Reached bool
		Cache   string
		IOs     float64
	}
	closest := prediction{Target: t}
	for _, p := range f.Predictions {
		y := p.IOsPerGet.Steady
		if y == nil {
			y = p.IOsPerGet.Window
		}
		if y == nil || closest.Cache != "" && *y >= closest.IOs {
			continue
		}
		closest.Cache, closest.IOs = units.Size(p.Cache.Bytes), *y
		if share := units.PercentOf(p.Cache.Bytes, f.Bytes()); share != units.Absent {
			closest.Cache += " (" + share + " of the database)"
		}
		if closest.Reached = *y <= t.Limit; closest.Reached {
			break
		}
	}
	return say("predicted target", closest)
}

// countAre is a count with its verb.
func countAre(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}

// reachedWords begins a sentence about a cache that reaches a target; its cost may be far less.
func reachedWords(t study.Target, cost float64) string {
	ios := units.Plural(int64(t.IOsPerGet), "I/O")
	if cost < float64(t.IOsPerGet)-0.25 {
		return "At most " + ios
	}
	return "About " + ios
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
