package report

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Table returns the figures of a curve, a row for each cache: measured, continued,
// predicted and published, hit rates, and the 99th percentiles of single Gets.
func Table(c *study.Curve) (header []string, rows [][]string) {
	header = []string{"cache", "% of DB", "I/Os per " + c.Operation().One, "±95%", "steady", "after more Gets", "predicted", "published",
		"filter hit", "top index hit", "index hit", "data hit", "block cache hit", "p99 reads", "p99 latency"}
	rows = studiedRows(c)
	for _, column := range []int{14, 13, 7, 6, 5} { // those that most studies have nothing in
		if !slices.ContainsFunc(rows, func(cells []string) bool { return cells[column] != units.Absent }) {
			header = slices.Delete(header, column, column+1)
			for i := range rows {
				rows[i] = slices.Delete(rows[i], column, column+1)
			}
		}
	}
	return header, rows
}

func markdownTable(c *study.Curve) string {
	t := table.NewWriter()
	header, rows := Table(c)
	t.AppendHeader(row(header, nil))
	for _, cells := range rows {
		for i, cell := range cells {
			cells[i] = literal(cell)
		}
		t.AppendRow(row(cells, nil))
	}
	return t.RenderMarkdown()
}

func studiedRows(c *study.Curve) (rows [][]string) {
	runs := study.BySize(slices.Concat(c.Runs, c.Failed))
	measured := map[int64]bool{}
	for _, r := range runs {
		measured[r.Cache.Bytes] = true
	}
	unmeasured := slices.DeleteFunc(slices.Clone(c.Predictions), func(p *record.Prediction) bool { return measured[p.Cache.Bytes] })
	for len(runs) > 0 || len(unmeasured) > 0 {
		if len(unmeasured) == 0 || len(runs) > 0 && runs[0].Cache.Bytes < unmeasured[0].Cache.Bytes {
			rows = append(rows, runRow(c, runs[0]))
			runs = runs[1:]
			continue
		}
		p := unmeasured[0]
		rows = append(rows, predictedRow(c, p))
		unmeasured = slices.DeleteFunc(unmeasured, func(other *record.Prediction) bool { return other.Cache.Bytes == p.Cache.Bytes })
	}
	return rows
}

// runRow has the figures of one run; of one whose self-checks failed, only the predicted
// and published figures of its cache.
func runRow(c *study.Curve, r *record.Result) []string {
	cells := []string{cacheSize(r), fractionOfDB(r)}
	predicted, published := predictedCell(c, r.Cache.Bytes), units.Absent
	if r.Published != nil {
		published = r.Published.IOsPerGet.String()
	}
	if !r.Checks.Hold() {
		cells = append(cells, units.Absent, units.Absent, "FAILED", units.Absent, predicted, published)
		return append(cells, units.Absent, units.Absent, units.Absent, units.Absent, units.Absent, units.Absent, units.Absent)
	}
	cells = append(cells, meanCell(r), halfWidth(r.IOsPerGet), steadyCell(r.IOsPerGet), continuedCell(r), predicted, published)
	rates := hitRates(r.Components, r.Cached, "")
	return append(append(cells, rates[:len(rates)-1]...), p99Reads(r), p99Latency(r))
}

// continuedCell is the last figure of a continued run, and whether it is steady.
func continuedCell(r *record.Result) string {
	if len(r.Continued) == 0 {
		return units.Absent
	}
	last := r.Last()
	if last.IsSteady() {
		return iosPerGet(last.Mean) + ", steady"
	}
	return iosPerGet(last.Mean) + ", not known to be steady"
}

// predictedRow is of a cache that was not measured. Its hit rates are those of the first
// prediction.
func predictedRow(c *study.Curve, p *record.Prediction) []string {
	cells := []string{units.Size(p.Cache.Bytes), units.PercentOf(p.Cache.Bytes, c.Bytes()),
		units.Absent, units.Absent, units.Absent, units.Absent, predictedCell(c, p.Cache.Bytes), units.Absent}
	for _, component := range []string{record.Filter, record.TopIndex, record.Index, record.Data} {
		rate := units.Thousandths(p.Components[component].HitRate)
		if rate != units.Absent {
			rate += " predicted"
		}
		cells = append(cells, rate)
	}
	return append(cells, units.Absent, units.Absent, units.Absent)
}

// predictedCell has all predictions of a cache, with their methods if these differ.
func predictedCell(c *study.Curve, cache int64) string {
	var all []string
	several := strings.Contains(distinct(c.Predictions, method), "; or ")
	for _, p := range c.Predictions {
		if p.Cache.Bytes != cache {
			continue
		}
		by := ""
		if several {
			by = " by " + method(p)
		}
		if y := p.IOsPerGet.Window; y != nil {
			all = append(all, iosPerGet(*y)+by)
		}
		if y := p.IOsPerGet.Steady; y != nil {
			all = append(all, "steady "+iosPerGet(*y)+by)
		}
	}
	if len(all) == 0 {
		return units.Absent
	}
	return strings.Join(all, ", ")
}

func method(p *record.Prediction) string { return strings.TrimSpace(p.Method + " " + p.Cache.Policy) }
