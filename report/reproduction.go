package report

import (
	"fmt"
	"io"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Reproduction writes runs that repeat the published study's below its figures: for each
// cache size the published and the measured figure, and the last one if the run was
// continued. Sizes without a published figure have only the measured line.
func Reproduction(w io.Writer, results []*record.Result) error {
	var p printer
	if len(results) == 0 {
		p.prose("There are no measurements.")
		return p.writeTo(w)
	}
	sorted := study.BySize(results)
	g := textTable{header: []string{"cache", "", "I/Os\n/Get", "differ-\nence", "filter\nhit", "top\nindex\nhit", "index\nhit",
		"data\nhit", "block\ncache\nhit", "steady"}, left: []int{1, 9}, spare: []int{7, 8}}
	for _, r := range sorted {
		for i, cells := range reproducedRows(r) {
			cache := ""
			if i == 0 {
				cache = mebibytes(r.Cache.Bytes)
			}
			g.add(append([]string{cache}, cells...)...)
		}
	}
	p.table(&g)
	pointsNote(&p, sorted)
	reproductionNotes(&p, sorted)
	return p.writeTo(w)
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

// reproducedRows are the lines of one cache size, without it.
func reproducedRows(r *record.Result) (rows [][]string) {
	if r.Published != nil {
		rows = append(rows, publishedRow(r))
	}
	if !r.Checks.Hold() {
		return append(rows, []string{"measured", units.Absent, units.Absent, units.Absent, units.Absent, units.Absent, units.Absent, units.Absent, "FAILED"})
	}
	rows = append(rows, append([]string{"measured", meanCell(r), difference(r, r.IOsPerGet.Mean)},
		hitRates(r.Components, r.Cached, steadyCell(r.IOsPerGet))...))
	if n := len(r.Continued); n > 0 {
		last := r.Continued[n-1]
		as := &record.Result{Workload: record.Workload{Gets: last.Gets}, IOsPerGet: last.IOsPerGet}
		rows = append(rows, append([]string{"after " + units.Count(last.GetsBefore+last.Gets), meanCell(as), difference(r, last.IOsPerGet.Mean)},
			hitRates(last.Components, last.Cached, steadyCell(last.IOsPerGet))...))
	}
	return rows
}

func publishedRow(r *record.Result) []string {
	row := []string{"published", r.Published.IOsPerGet.String(), ""}
	for _, of := range []string{"filter", "top_index", "index", "data", "block_cache"} {
		row = append(row, r.Published.HitRates[of].String())
	}
	return append(row, "")
}

func hitRates(components map[string]record.Component, cache *record.BlockCache, steady string) (cells []string) {
	for _, c := range []string{record.Filter, record.TopIndex, record.Index, record.Data} {
		cells = append(cells, componentHitRate(components[c]))
	}
	return append(cells, blockCacheHitRate(&record.Result{Cached: cache}), steady)
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
			note("after: a run that was not steady was continued with its cache, by as many Gets at a time. " +
				"The line shows the last continuation and the number of Gets since the cache was empty.")
		}
	}
	for _, r := range sorted {
		if r.Checks.Hold() && estimated(r) {
			note("~ is estimated: the engine counts index and data accesses as one sum.")
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
	return fmt.Sprintf("The study made %s Gets after a warm-up of %s, with %d threads; these runs made %s Gets after %s, with %d workers.",
		units.Comma(p.Gets), units.Comma(int64(r.Dataset.Keys)/max(p.KeysPerWarmupGet, 1)), p.Threads, units.Comma(w.Gets), units.Comma(w.WarmupGets), w.Workers)
}
