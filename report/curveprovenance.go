package report

import (
	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

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
