package report

import (
	"cmp"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// cacheRow is a cache: with a run or, in a study, with predictions alone.
type cacheRow struct {
	run       *record.Result
	predicted *record.Prediction // the first one of a cache that was not measured
	curve     *study.Curve       // nil outside of studies
	mark      string             // of the inflection point that it is nearest to
}

// cacheTable has the figures of measurements by cache: measured, continued, predicted and published, hit rates,
// and the 99th percentiles of single Gets. No figure is shown of a run whose self-checks failed.
func cacheTable(rows []cacheRow, one string) *Table {
	// of is a column of runs, and measured of figures.
	of := func(name string, cell func(*record.Result) string) column[cacheRow] {
		return col(name, func(c cacheRow) string {
			if c.run == nil {
				return units.Absent
			}
			return cell(c.run)
		})
	}
	measured := func(name string, cell func(*record.Result) string) column[cacheRow] { return of(name, held(cell)) }
	return newTable(rows,
		col("cache", cacheRow.size),
		col("% of\nDB", cacheRow.share).spareAs(3),
		col("phase", cacheRow.phase).left().shown(onTerminals),
		measured("I/Os\n/"+one, meanCell),
		measured("±95%", halfWidthCell),
		of("steady", steadyOrFailed).left(),
		measured("after more Gets", continuedCell).shown(inDocuments).ifKnown(),
		col("predicted", cacheRow.predictions).shown(inDocuments).ifKnown(),
		of("published", publishedCell).shown(inDocuments).ifKnown(),
		hitColumn("filter\nhit", record.Filter).spareAs(4),
		hitColumn("top\nindex\nhit", record.TopIndex),
		hitColumn("index\nhit", record.Index),
		hitColumn("data\nhit", record.Data).spareAs(1),
		measured("block\ncache\nhit", blockCacheHitRate).spareAs(2),
		measured("bytes\n/"+one, bytesPerGet).shown(onTerminals).spareAs(5),
		measured("p99 reads", readsOf(func(d *record.Distribution) int { return d.P99 })).shown(inDocuments).ifKnown(),
		measured("p99 latency", latencyOf(func(t record.Times) float64 { return t.P99 })).shown(inDocuments).ifKnown())
}

// CurveTable is the figures of a curve, a row for each cache.
func CurveTable(c *study.Curve) *Table {
	var rows []cacheRow
	for _, r := range study.BySize(slices.Concat(c.Runs, c.Failed)) {
		rows = append(rows, cacheRow{run: r, curve: c})
	}
	for _, p := range c.Predictions {
		if !slices.ContainsFunc(rows, func(r cacheRow) bool { return r.bytes() == p.Cache.Bytes }) {
			rows = append(rows, cacheRow{predicted: p, curve: c})
		}
	}
	slices.SortStableFunc(rows, func(a, b cacheRow) int { return cmp.Compare(a.bytes(), b.bytes()) })
	return cacheTable(rows, c.Operation().One)
}

func (c cacheRow) bytes() int64 {
	if c.run == nil {
		return c.predicted.Cache.Bytes
	}
	return c.run.Cache.Bytes
}

func (c cacheRow) size() string {
	if c.run == nil {
		return units.Size(c.bytes())
	}
	return cacheSize(c.run)
}

func (c cacheRow) share() string {
	if c.run == nil {
		return units.PercentOf(c.bytes(), c.curve.Bytes())
	}
	return fractionOfDB(c.run)
}

func (c cacheRow) phase() string {
	if c.run == nil {
		return units.Absent
	}
	return phaseCell(c.run.Cache.Phase, c.mark)
}

func (c cacheRow) predictions() string {
	if c.curve == nil {
		return units.Absent
	}
	return predictedCell(c.curve, c.bytes())
}

// hitColumn is the hit rate of a component, that of the first prediction where nothing was measured.
func hitColumn(name, component string) column[cacheRow] {
	return col(name, func(c cacheRow) string {
		switch {
		case c.run != nil && c.run.Checks.Hold():
			return componentHitRate(c.run.Components[component])
		case c.run == nil && c.predicted.Components[component].HitRate != nil:
			return units.Thousandths(c.predicted.Components[component].HitRate) + " predicted"
		}
		return units.Absent
	})
}

// predictedCell has all predictions of a cache, with their methods if these differ.
func predictedCell(c *study.Curve, cache int64) string {
	var all []string
	several := strings.Contains(distinct(c.Predictions, orElse, method), "; or ")
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
