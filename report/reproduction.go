package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"getio/numbers/published"
	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Reproduction writes runs that repeat the published study's below its figures: for each
// cache size the published and the measured figure, and the last one if the run was
// continued. Sizes without a published figure have only the measured line.
func Reproduction(w io.Writer, results []*record.Result) error {
	p := newPrinter(w)
	if len(results) == 0 {
		p.prose("There are no measurements.")
		return p.flush()
	}
	sorted := study.BySize(results)
	var rows []reproducedRow
	for _, r := range sorted {
		of := reproducedRows(r)
		of[0].cache = mebibytes(r.Cache.Bytes)
		rows = append(rows, of...)
	}
	rate := func(name string, i int) column[reproducedRow] {
		return col(name, func(r reproducedRow) string { return r.rates[i] })
	}
	p.table(newTable(rows,
		col("cache", func(r reproducedRow) string { return r.cache }),
		col("", func(r reproducedRow) string { return r.source }).left(),
		col("I/Os\n/Get", func(r reproducedRow) string { return r.ios }),
		col("differ-\nence", func(r reproducedRow) string { return r.off }),
		rate("filter\nhit", 0),
		rate("top\nindex\nhit", 1),
		rate("index\nhit", 2),
		rate("data\nhit", 3).spareAs(1),
		rate("block\ncache\nhit", 4).spareAs(2),
		col("steady", func(r reproducedRow) string { return r.steady }).left()))
	pointsNote(p, sorted)
	reproductionNotes(p, sorted)
	return p.flush()
}

// WithCurve writes a table of results, and their curve below it.
func WithCurve(w io.Writer, table func(io.Writer, []*record.Result) error, results []*record.Result) error {
	if err := table(w, results); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return Curve(w, results)
}

// reproducedRow is a line of a cache: published, measured, or after more Gets.
type reproducedRow struct {
	cache, source, ios, off string
	rates                   []string // of filters, top indexes, indexes, data and the block cache
	steady                  string
}

// reproducedRows are the lines of one cache size, without it.
func reproducedRows(r *record.Result) (rows []reproducedRow) {
	if r.Published != nil {
		rows = append(rows, publishedRow(r))
	}
	if !r.Checks.Hold() {
		return append(rows, reproducedRow{source: "measured", ios: units.Absent, off: units.Absent, rates: slices.Repeat([]string{units.Absent}, 5), steady: "FAILED"})
	}
	line := func(source string, ios record.IOsPerGet, components map[string]record.Component, cached *record.BlockCache) {
		row := reproducedRow{source: source, ios: iosPerGet(ios.Mean), off: difference(r, ios.Mean), steady: steadyCell(ios)}
		for _, c := range []string{record.Filter, record.TopIndex, record.Index, record.Data} {
			row.rates = append(row.rates, componentHitRate(components[c]))
		}
		row.rates = append(row.rates, blockCacheHitRate(&record.Result{Cached: cached}))
		rows = append(rows, row)
	}
	line("measured", r.IOsPerGet, r.Components, r.Cached)
	if n := len(r.Continued); n > 0 {
		last := r.Continued[n-1]
		line("after "+units.Count(last.GetsBefore+last.Gets), last.IOsPerGet, last.Components, last.Cached)
	}
	return rows
}

func publishedRow(r *record.Result) reproducedRow {
	row := reproducedRow{source: "published", ios: r.Published.IOsPerGet.String()}
	for _, of := range []string{record.Filter, record.TopIndex, record.Index, record.Data, "block_cache"} {
		row.rates = append(row.rates, r.Published.HitRates[of].String())
	}
	return row
}

// difference is that of a mean from the published figure, as a share of it.
func difference(r *record.Result, mean float64) string {
	published, ok := r.PublishedIOs()
	if !ok {
		return units.Absent
	}
	return fmt.Sprintf("%+.1f%%", 100*(mean/published-1))
}

// mebibytes is a size in the unit of the study's tables.
func mebibytes(bytes int64) string {
	if bytes%(1<<20) != 0 {
		return units.Size(bytes)
	}
	return units.Comma(bytes>>20) + " MiB"
}

func reproductionNotes(p *printer, sorted []*record.Result) {
	var noted []string
	note := func(s string) {
		if s != "" && !strings.Contains(strings.Join(noted, "\n"), s) {
			noted = append(noted, s)
			p.prose(s)
		}
	}
	for _, r := range sorted {
		note(otherProtocol(r))
	}
	for _, r := range sorted {
		if r.Checks.Hold() && len(r.Continued) > 0 {
			note(say("continued", nil))
		}
	}
	for _, r := range sorted {
		if r.Checks.Hold() && estimated(r) {
			note(say("estimated", nil))
		}
	}
	for _, r := range sorted {
		if !r.Checks.Hold() {
			note(fmt.Sprintf("FAILED at %s: self-check %s; none of its figures is printed.", mebibytes(r.Cache.Bytes), failedNames(r)))
		}
	}
}

// otherProtocol says how a run differs from the study's.
func otherProtocol(r *record.Result) string {
	p, w := r.Published, r.Workload
	if p == nil || p.Gets == w.Gets && p.KeysPerWarmupGet*w.WarmupGets == int64(r.Dataset.Keys) && p.Threads == w.Workers && p.Shards == r.Cache.Shards {
		return ""
	}
	return say("other protocol", r)
}

// warmupOf returns the number of warm-up Gets that the study made for so many keys.
func warmupOf(p *published.Read, keys uint64) int64 { return int64(keys) / max(p.KeysPerWarmupGet, 1) }
