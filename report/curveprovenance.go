package report

import (
	"fmt"
	"strings"

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
	for _, aspect := range aspects {
		add(aspect.label, distinct(c.Measurements(), aspect.of))
	}
	add("Predicted", distinct(c.Predictions, predictedBy))
	return facts
}

// aspects are the items of measurements; a run may have none of an item.
var aspects = []struct {
	label string
	of    func(*record.Result) string
}{
	{"Database", func(r *record.Result) string { return databaseText(r.Dataset) }},
	{"Values", func(r *record.Result) string { return r.Dataset.Values }},
	{"Live", func(r *record.Result) string {
		return ifAny(r.Dataset.Live, "a copy was read of a database that another process had open")
	}},
	{"Engine", func(r *record.Result) string { return engineText(r.Engine) }},
	{"Read as", func(r *record.Result) string { return r.Engine.ReadAs }},
	{"Cache shards", func(r *record.Result) string { return units.CommaOf(int64(r.Cache.Shards)) }},
	{"Gets", func(r *record.Result) string { return ifAny(r.Workload.Operation == "", getsText(r)) }},
	{"Scans", func(r *record.Result) string { return ifAny(r.Workload.Operation == record.OperationScan, getsText(r)) }},
	{"Batches", func(r *record.Result) string {
		return ifAny(r.Workload.Operation == record.OperationMultiget, getsText(r))
	}},
	{"Trace", func(r *record.Result) string {
		return ifAny(r.Workload.Trace != "", fmt.Sprintf("%s (SHA-256 %s)", r.Workload.Trace, orAbsent(r.Workload.TraceSHA256)))
	}},
	{"Keys from", func(r *record.Result) string {
		return ifAny(r.Workload.KeysFile != "", fmt.Sprintf("%s (SHA-256 %s)", r.Workload.KeysFile, orAbsent(r.Workload.KeysSHA256)))
	}},
	{"Lookups", func(r *record.Result) string { return ifAny(r.Workload.Lookup == record.LookupSeek, seekText) }},
	{"Warm-up", func(r *record.Result) string { return warmupText(r.Workload) }},
	{"Updates", func(r *record.Result) string { return ifAny(r.UpdatesBefore() > 0, updatesText(r.UpdatesBefore())) }},
	{"Meanwhile", meanwhileText},
	{"Page cache", func(r *record.Result) string { return pageCache(r.Device.PageCache) }},
	{"Device", func(r *record.Result) string { return ifAny(r.Device.Modelled != nil, "modelled: "+deviceText(r)) }},
	{"Machine", machine},
	{"getio", func(r *record.Result) string { return r.Environment.Getio }},
}

func machine(r *record.Result) string {
	e := r.Environment
	var parts []string
	for _, part := range []struct {
		known bool
		text  string
	}{
		{e.CPU != "", e.CPU},
		{e.CPUs > 0, units.Plural(int64(e.CPUs), "processor")},
		{e.MemoryMiB > 0, units.Size(e.MemoryMiB<<20) + " of memory"},
		{e.OS != "", strings.TrimSpace(e.OS + " " + e.Kernel)},
		{e.Go != "", e.Go},
	} {
		if part.known {
			parts = append(parts, part.text)
		}
	}
	return strings.Join(parts, ", ")
}

func predictedBy(p *record.Prediction) string {
	by := "for " + orAbsent(p.Source) + ", read by " + orAbsent(p.Library) + ", by the method " + orAbsent(p.Method)
	if p.Cache.Policy != "" {
		by += " with a cache of " + p.Cache.Policy
	}
	return by
}
