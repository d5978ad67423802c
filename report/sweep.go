package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Sweep writes measurements of one database at several cache sizes as the table of the
// published study, one row per size, and the recommended cache.
func Sweep(w io.Writer, results []*record.Result) error {
	p := newPrinter(w)
	if len(results) == 0 {
		p.prose("There are no measurements.")
		return p.flush()
	}
	sorted := study.BySize(results)
	if sorted[0].Counted == record.CountedOutside {
		tablesSweep(p, sorted)
	} else {
		sweepTable(p, sorted)
	}
	sweepNotes(p, sorted)
	p.blank()
	sweepSingles(p, sorted)
	sweepLayers(p, sorted)
	if plainGets(sorted) {
		recommendation(p, study.Recommend(sorted))
	}
	return p.flush()
}

func sweepTable(p *printer, sorted []*record.Result) {
	rows, marks := make([]cacheRow, len(sorted)), pointMarks(sorted)
	for i, r := range sorted {
		rows[i] = cacheRow{Result: r, size: cacheSize(r), share: fractionOfDB(r), mark: units.If(r.Cache.Bytes > 0, marks[r.Cache.Bytes])}
	}
	p.table(cacheTable(rows, sorted[0].Workload.Words().One))
}

// nearPoint is how far a cache may be from an inflection point, as a ratio, to be the row of that point.
const nearPoint = 1.1

// pointMarks returns the names of the inflection points by the cache that is nearest to them, if one is near at all.
func pointMarks(sorted []*record.Result) map[int64]string {
	shape := sweepShape(sorted)
	if shape == nil {
		return nil
	}
	first, second := nearest(sorted, shape.IP1Bytes), nearest(sorted, shape.IP2Bytes)
	if first == second {
		return map[int64]string{first: "IP1,2"}
	}
	return map[int64]string{first: "IP1", second: "IP2"}
}

// nearest is the cache size nearest to a point; 0 if none is near.
func nearest(sorted []*record.Result, point int64) int64 {
	best, ratio := int64(0), nearPoint
	for _, r := range sorted {
		b := r.Cache.Bytes
		if b <= 0 || point <= 0 {
			continue
		}
		if d := math.Exp(math.Abs(math.Log(float64(b) / float64(point)))); d <= ratio {
			best, ratio = b, d
		}
	}
	return best
}

// sweepShape is the shape of the tree of the sweep.
func sweepShape(results []*record.Result) *record.Shape {
	return study.FirstKnown(results, func(r *record.Result) *record.Shape { return r.Shape })
}

func sweepNotes(p *printer, sorted []*record.Result) {
	pointsNote(p, sorted)
	p.field("Workload", distinct(sorted, orElse, func(r *record.Result) string { return say("workload", r) }))
	if slices.ContainsFunc(sorted, func(r *record.Result) bool { return r.Checks.Hold() && estimated(r) }) {
		p.prose(say("estimated", nil))
	}
	for _, r := range sorted {
		if !r.Checks.Hold() {
			p.prose(failedAt(cacheSize(r), r))
		}
	}
}

// pointsNote explains the inflection points.
func pointsNote(p *printer, sorted []*record.Result) {
	if shape := sweepShape(sorted); shape != nil {
		p.text("inflection points", shape)
		if i := slices.IndexFunc(sorted, func(r *record.Result) bool { return onlyWithMemtables(&r.Cache, shape) }); i >= 0 {
			p.prose(fmt.Sprintf("IP1 and IP2 are without the %s that memtables take of each cache.", units.Size(sorted[i].Cache.ReservedBytes)))
		}
	}
}

// onlyWithMemtables reports whether a cache is as large as an inflection point, but its part for blocks is not.
func onlyWithMemtables(c *record.Cache, shape *record.Shape) bool {
	return slices.ContainsFunc([]int64{shape.IP1Bytes, shape.IP2Bytes}, func(point int64) bool {
		return c.Bytes >= point && c.Bytes-c.ReservedBytes < point
	})
}

func recommendation(p *printer, rec study.Recommendation) {
	p.line("Recommended cache")
	p.field("  2 I/Os", say("recommended", rec.Two))
	p.field("  1 I/O", say("recommended", rec.One))
	leftOut(p, "not steady", rec.Unsteady)
	leftOut(p, "too short to tell whether steady: raise --gets or --time", rec.Unknown)
	leftOut(p, "failed self-checks", rec.Failed)
}

func leftOut(p *printer, why string, results []*record.Result) {
	if len(results) > 0 {
		p.field("  Not counted", fmt.Sprintf("%s (%s).", joined(results, ", ", cacheSize), why))
	}
}

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
		gethCache(func(c cacheRow) int64 { return c.Cache.GethCacheMiB }),
		col("% of\nDB", func(c cacheRow) string { return c.share }).spareAs(3),
		col("phase", func(c cacheRow) string {
			phase := units.If(c.Cache.Phase != 0, fmt.Sprint(c.Cache.Phase))
			return strings.TrimSpace(cmp.Or(phase, units.Absent) + " " + c.mark)
		}).left().shown(onTerminals),
		measured("I/Os\n/"+one, meanCell),
		measured("±95%", halfWidth),
		of("steady", steadyOrFailed).left(),
		measured("after more Gets", continuedCell).shown(inDocuments).ifKnown(),
		col("predicted", func(c cacheRow) string { return cmp.Or(c.predicted, units.Absent) }).shown(inDocuments).ifKnown(),
		of("published", func(r *record.Result) string { return figure(r.Published, publishedIOs) }).shown(inDocuments).ifKnown(),
		hit("filter\nhit", record.Filter).spareAs(4),
		hit("top\nindex\nhit", record.TopIndex),
		hit("index\nhit", record.Index),
		hit("data\nhit", record.Data).spareAs(1),
		measured("block\ncache\nhit", blockCacheHitRate).spareAs(2),
		measured("bytes\n/"+one, bytesPerGet).shown(onTerminals).spareAs(5),
		col("device bytes", func(c cacheRow) string {
			if c.instead == nil {
				return held(pageBytes)(c.Result)
			}
			return figure(c.instead.PageBytesPerGet, func(bytes float64) string { return units.MeanSize(bytes) + " predicted" })
		}).shown(inDocuments).ifKnown(),
		measured("p99 reads", readsOf(func(d record.Distribution) int { return d.P99 })).shown(inDocuments).ifKnown(),
		measured("p99 latency", latencyOf(func(l record.Latency) float64 { return l.P99 })).shown(inDocuments).ifKnown())
}

// gethCache is the column of the --cache that gives geth a cache as large.
func gethCache[R any](mib func(R) int64) column[R] {
	return col("geth\n--cache", func(r R) string { return unlessZero(func(n int64) string { return fmt.Sprint(n) })(mib(r)) }).ifKnown()
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
				Result: &record.Result{Cache: record.Cache{Bytes: bytes, GethCacheMiB: p.Cache.GethCacheMiB}}, predicted: predictedCell(c, bytes), instead: p,
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
		by := units.If(several, " by "+method(p))
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

// tablesSweep writes measurements counted outside at several sizes, a column for each table.
func tablesSweep(p *printer, sorted []*record.Result) {
	columns := []column[*record.Result]{
		col("cache", cacheSize),
		col("% of\nDB", fractionOfDB),
		col("I/Os\n/Get", held(meanCell)),
		col("±95%", held(halfWidth)),
		col("steady", steadyOrFailed).left(),
		col("bytes\n/Get", held(bytesPerGet)).spareAs(1),
	}
	tables := sorted[0].Tables
	for i, t := range tables {
		columns = append(columns, col(t.Name+"\nI/Os/Get", held(func(r *record.Result) string {
			if i >= len(r.Tables) {
				return units.Absent
			}
			return iosPerGet(r.Tables[i].ReadsPerGet)
		})).spareAs(1+len(tables)-i))
	}
	p.table(newTable(sorted, columns...))
}

// sweepLayers writes the reads of each layer for all sizes whose self-checks held, and the speed with a modelled
// device; nothing if none has either.
func sweepLayers(p *printer, sorted []*record.Result) {
	known := slices.DeleteFunc(slices.Clone(sorted), func(r *record.Result) bool {
		return !r.Checks.Hold() || !layered(r) && r.Device.Modelled == nil
	})
	if len(known) == 0 {
		return
	}
	one := sorted[0].Workload.Words().One
	columns := []column[*record.Result]{col("cache", cacheSize)}
	for i, l := range layers {
		if l.column != "" {
			columns = append(columns, col(l.column+"/"+one, l.reads).ifKnown())
		}
		columns = append(columns, col(l.over+"\nbytes/"+one, l.bytes).spareAs(max(0, 2-i)).ifKnown())
	}
	columns = append(columns, col("MODELLED\n"+sorted[0].Workload.Words().Many+"/s", func(r *record.Result) string {
		return figure(r.Device.Modelled, func(m record.ModelledDevice) string { return units.Comma(int64(math.Round(m.GetsPerSecond))) })
	}).ifKnown())
	p.table(newTable(known, columns...))
	p.prose("Page cache: " + distinct(sorted, orElse, func(r *record.Result) string { return say("page cache", r.Device) }) + ".")
	if slices.ContainsFunc(known, func(r *record.Result) bool { return r.Device.Modelled != nil }) {
		p.prose("The device was MODELLED: " + distinct(known, orElse, func(r *record.Result) string {
			if r.Device.Modelled == nil {
				return "the real one"
			}
			return say("modelled", r.Device.Modelled)
		}) + "; each read of a file counts as one of it.")
	}
	p.blank()
}

// sweepSingles writes the figures of single Gets for all sizes whose self-checks held; nothing if none has such figures.
func sweepSingles(p *printer, sorted []*record.Result) {
	known := slices.DeleteFunc(slices.Clone(sorted), func(r *record.Result) bool {
		return !r.Checks.Hold() || r.Distribution == nil && r.Latency == nil
	})
	if len(known) == 0 {
		return
	}
	reads := func(name string, of func(record.Distribution) int) column[*record.Result] {
		return col(name, readsOf(of)).ifKnown()
	}
	times := func(name string, of func(record.Latency) float64) column[*record.Result] {
		return col(name, latencyOf(of)).ifKnown()
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
	p.prose(latencyNote(known))
	p.blank()
}

// FinishedCache is a finished cache size of a sweep in one line, without its end: the figure, its interval and whether
// it is steady; of a continued run its figure and its last one. A run whose self-checks failed has no figure.
func FinishedCache(r *record.Result) string { return say("finished cache", r) }
