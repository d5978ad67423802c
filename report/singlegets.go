package report

import (
	"fmt"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// singles writes the distribution and the latency of single Gets, if known.
func singles(p *printer, r *record.Result) {
	if d := r.Distribution; d != nil {
		distribution(p, r.Workload, d)
		p.blank()
	}
	if r.Latency != nil {
		p.text("latencies", r)
		p.blank()
	}
}

// mostBars is the largest number of bars up to the 99.9th percentile, and barWidth the
// width of the bar of all Gets.
const (
	mostBars = 16
	barWidth = 50
)

// distribution draws the distribution of reads per Get: bars of even ranges of reads up
// to the 99.9th percentile, and one for the rest.
func distribution(p *printer, w record.Made, d *record.Distribution) {
	p.field("Reads/"+w.Words().One, fmt.Sprintf("p50 %d, p90 %d, p99 %d, p99.9 %d, most %d", d.P50, d.P90, d.P99, d.P999, d.Max))
	first := slices.IndexFunc(d.Histogram, func(gets int64) bool { return gets > 0 })
	if first < 0 {
		return
	}
	step := (d.P999-first)/mostBars + 1
	for ; first <= d.P999; first += step {
		distributionBar(p, d, first, min(first+step-1, d.P999))
	}
	if d.Max > d.P999 {
		distributionBar(p, d, d.P999+1, d.Max)
	}
}

// distributionBar is the share of Gets that made from first to last reads.
func distributionBar(p *printer, d *record.Distribution, first, last int) {
	label := fmt.Sprint(first)
	if last > first {
		label = fmt.Sprintf("%d-%d", first, last)
	}
	share := d.AtLeast(first) - d.AtLeast(last+1)
	p.line(fmt.Sprintf("  %8s  %8s  %s", label, units.Percent(share), strings.Repeat("#", int(share*barWidth+0.5))))
}

// sweepSingles writes the same for all sizes whose self-checks held, a row each; nothing
// if none has such figures.
func sweepSingles(p *printer, sorted []*record.Result) {
	known := slices.DeleteFunc(slices.Clone(sorted), func(r *record.Result) bool {
		return !r.Checks.Hold() || r.Distribution == nil && r.Latency == nil
	})
	read := slices.ContainsFunc(known, func(r *record.Result) bool { return r.Distribution != nil })
	timed := slices.ContainsFunc(known, func(r *record.Result) bool { return r.Latency != nil })
	if !read && !timed {
		return
	}
	reads := func(name string, of func(record.Distribution) int) column[*record.Result] {
		return col(name, readsOf(of)).when(read)
	}
	times := func(name string, of func(record.Latency) float64) column[*record.Result] {
		return col(name, latencyOf(of)).when(timed)
	}
	p.table(newTable(known,
		col("cache", cacheSize),
		reads("reads/"+known[0].Workload.Words().One+"\np50", func(d record.Distribution) int { return d.P50 }),
		reads("\np99", func(d record.Distribution) int { return d.P99 }),
		reads("\np99.9", func(d record.Distribution) int { return d.P999 }),
		reads("\nmost", func(d record.Distribution) int { return d.Max }),
		times("latency\np50", func(t record.Latency) float64 { return t.P50 }),
		times("\np99", func(t record.Latency) float64 { return t.P99 }),
		times("\np99.9", func(t record.Latency) float64 { return t.P999 }),
		times("\nmost", func(t record.Latency) float64 { return t.Max })))
	if timed {
		p.prose("Latency: " + distinct(known, orElse, func(r *record.Result) string { return say("latency", r) }) + ".")
	}
	p.blank()
}
