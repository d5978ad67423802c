package report

import (
	"cmp"
	"fmt"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Findings sums the records of a curve up in sentences: from which cache on a Get costs about two and about one I/Os,
// and which runs do not count, and why. The sentences contain figures and sizes, but no text of the records.
func Findings(c *study.Curve) []string {
	two := c.Recommendation.Two
	f := findings{Curve: c, OnlyPredicted: len(c.Runs) == 0 && len(c.Failed) == 0}
	f.OfGets = (two.Cache != nil || two.Closest != nil) && plainGets(c.Runs)
	f.Unsteady = slices.DeleteFunc(slices.Clone(c.Runs), (*record.Result).EndsSteady)
	return sentences("findings", f)
}

type findings struct {
	*study.Curve
	OnlyPredicted bool
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
		y := cmp.Or(p.IOsPerGet.Steady, p.IOsPerGet.Window)
		if y == nil || closest.Cache != "" && *y >= closest.IOs {
			continue
		}
		share := units.PercentOf(p.Cache.Bytes, f.Bytes())
		closest.Cache = units.Size(p.Cache.Bytes) + units.If(share != units.Absent, " ("+share+" of the database)")
		closest.IOs = *y
		if closest.Reached = *y <= t.Limit; closest.Reached {
			break
		}
	}
	return say("predicted target", closest)
}

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

const mostSizes = 8

func sizes(results []*record.Result) string {
	list := joined(results[:min(len(results), mostSizes)], ", ", cacheSize)
	if more := len(results) - mostSizes; more > 0 {
		return fmt.Sprintf("%s and %d more", list, more)
	}
	return list
}

// Fact is one item of provenance.
type Fact struct{ Label, Text string }

// Provenance says how the figures of a curve were obtained: from which database, by which
// Gets, on which machine. What differs between its runs is listed once for each value.
func Provenance(c *study.Curve) (facts []Fact) {
	add := func(label, text string) {
		if text != "" {
			facts = append(facts, Fact{label, text})
		}
	}
	if shape := c.Shape(); shape != nil {
		add("IP1", units.Size(shape.IP1Bytes)+": filters that Get consults, top indexes")
		add("IP2", units.Size(shape.IP2Bytes)+": these and all index blocks")
		if reads := shape.WorstCaseReads; reads > 0 && plainGets(c.Measurements()) {
			add("Worst case", units.Plural(reads, "read")+" per Get")
		}
	}
	for _, fact := range allTexts().sections["facts"] {
		add(fact.label, distinct(c.Measurements(), orElse, func(r *record.Result) string { return executed(fact.text, r) }))
	}
	add("Predicted", distinct(c.Predictions, orElse, func(r *record.Prediction) string { return say("predicted by", r) }))
	return facts
}
