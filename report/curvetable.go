package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// cacheRow is a cache: with a run or, in a study, with predictions alone.
type cacheRow struct {
	*record.Result
	size, share string
	mark        string             // of the inflection point that it is nearest to
	predicted   string             // all predictions of the cache
	instead     *record.Prediction // the first prediction of a cache that was not measured
}

// cacheTable has the figures of measurements by cache: measured, continued, predicted and published, hit rates,
// and the 99th percentiles of single Gets. No figure is shown of a run whose self-checks failed.
func cacheTable(rows []cacheRow, one string) *Table {
	run := colIf(func(c cacheRow) bool { return c.instead == nil }, units.Absent)
	// of is a column of runs, and measured of figures.
	of := func(name string, cell func(*record.Result) string) column[cacheRow] {
		return run(name, func(c cacheRow) string { return cell(c.Result) })
	}
	measured := func(name string, cell func(*record.Result) string) column[cacheRow] { return of(name, held(cell)) }
	hit := func(name, component string) column[cacheRow] {
		return col(name, func(c cacheRow) string {
			if c.instead == nil {
				return held(hitRateIn(component))(c.Result)
			}
			return figure(c.instead.Components[component].HitRate, func(rate float64) string { return decimals(rate) + " predicted" })
		})
	}
	return newTable(rows,
		col("cache", func(c cacheRow) string { return c.size }),
		col("% of\nDB", func(c cacheRow) string { return c.share }).spareAs(3),
		col("phase", func(c cacheRow) string {
			phase := ifAny(c.Cache.Phase != 0, fmt.Sprint(c.Cache.Phase))
			return strings.TrimSpace(orAbsent(phase) + " " + c.mark)
		}).left().shown(onTerminals),
		measured("I/Os\n/"+one, meanCell),
		measured("±95%", halfWidthCell),
		of("steady", steadyOrFailed).left(),
		measured("after more Gets", continuedCell).shown(inDocuments).ifKnown(),
		col("predicted", func(c cacheRow) string { return orAbsent(c.predicted) }).shown(inDocuments).ifKnown(),
		of("published", func(r *record.Result) string { return figure(r.Published, publishedIOs) }).shown(inDocuments).ifKnown(),
		hit("filter\nhit", record.Filter).spareAs(4),
		hit("top\nindex\nhit", record.TopIndex),
		hit("index\nhit", record.Index),
		hit("data\nhit", record.Data).spareAs(1),
		measured("block\ncache\nhit", blockCacheHitRate).spareAs(2),
		measured("bytes\n/"+one, bytesPerGet).shown(onTerminals).spareAs(5),
		measured("p99 reads", readsOf(func(d record.Distribution) int { return d.P99 })).shown(inDocuments).ifKnown(),
		measured("p99 latency", latencyOf(func(l record.Latency) float64 { return l.P99 })).shown(inDocuments).ifKnown())
}

// CurveTable is the figures of a curve, a row for each cache.
func CurveTable(c *study.Curve) *Table {
	var rows []cacheRow
	for _, r := range study.BySize(slices.Concat(c.Runs, c.Failed)) {
		rows = append(rows, cacheRow{Result: r, size: cacheSize(r), share: fractionOfDB(r), predicted: predictedCell(c, r.Cache.Bytes)})
	}
	for _, p := range c.Predictions {
		bytes := p.Cache.Bytes
		if !slices.ContainsFunc(rows, func(r cacheRow) bool { return r.Cache.Bytes == bytes }) {
			rows = append(rows, cacheRow{
				Result: &record.Result{Cache: record.Cache{Bytes: bytes}}, predicted: predictedCell(c, bytes), instead: p,
				size: units.Size(bytes), share: units.PercentOf(bytes, c.Bytes()),
			})
		}
	}
	slices.SortStableFunc(rows, func(a, b cacheRow) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	return cacheTable(rows, c.Operation().One)
}

// predictedCell has all predictions of a cache, with their methods if these differ.
func predictedCell(c *study.Curve, cache int64) string {
	var all []string
	several := strings.Contains(distinct(c.Predictions, orElse, method), orElse)
	for _, p := range c.Predictions {
		if p.Cache.Bytes != cache {
			continue
		}
		by := ifAny(several, " by "+method(p))
		if y := p.IOsPerGet.Window; y != nil {
			all = append(all, iosPerGet(*y)+by)
		}
		if y := p.IOsPerGet.Steady; y != nil {
			all = append(all, "steady "+iosPerGet(*y)+by)
		}
	}
	return strings.Join(all, ", ")
}

func method(p *record.Prediction) string { return strings.TrimSpace(p.Method + " " + p.Cache.Policy) }
