package report

import (
	"fmt"
	"io"

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
		first := len(rows)
		if r.Published != nil {
			rows = append(rows, reproducedRow{source: "published", published: r.Published})
		}
		rows = append(rows, reproducedRow{source: "measured", Result: r})
		if n := len(r.Continued); n > 0 && r.Checks.Hold() {
			last := r.Continued[n-1]
			rows = append(rows, reproducedRow{source: "after " + units.Count(last.GetsBefore+last.Gets), Result: r.LastPart()})
		}
		rows[first].cache = mebibytes(r.Cache.Bytes)
	}
	p.table(reproducedTable(rows))
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

// reproducedRow is a line of a cache: published, or a run.
type reproducedRow struct {
	cache, source string
	published     *published.Read
	*record.Result
}

func reproducedTable(rows []reproducedRow) *Table {
	both := func(name string, ofStudy func(published.Read) string, ofRun func(*record.Result) string) column[reproducedRow] {
		return col(name, func(r reproducedRow) string {
			if r.published != nil {
				return ofStudy(*r.published)
			}
			return ofRun(r.Result)
		})
	}
	none := func(published.Read) string { return "" }
	rate := func(name, of string, ofRun func(*record.Result) string) column[reproducedRow] {
		return both(name, func(p published.Read) string { return p.HitRates[of].String() }, held(ofRun))
	}
	return newTable(rows,
		col("cache", func(r reproducedRow) string { return r.cache }),
		col("", func(r reproducedRow) string { return r.source }).left(),
		both("I/Os\n/Get", publishedIOs, held(meanCell)),
		both("differ-\nence", none, held(difference)),
		rate("filter\nhit", record.Filter, hitRateIn(record.Filter)),
		rate("top\nindex\nhit", record.TopIndex, hitRateIn(record.TopIndex)),
		rate("index\nhit", record.Index, hitRateIn(record.Index)),
		rate("data\nhit", record.Data, hitRateIn(record.Data)).spareAs(1),
		rate("block\ncache\nhit", "block_cache", blockCacheHitRate).spareAs(2),
		both("steady", none, steadyOrFailed).left())
}

func publishedIOs(p published.Read) string { return p.IOsPerGet.String() }

// difference is that of a mean from the published figure, as a share of it.
func difference(r *record.Result) string {
	published, known := r.PublishedIOs()
	return figureIf(known, fmt.Sprintf("%+.1f%%", 100*(r.IOsPerGet.Mean/published-1)))
}

// mebibytes is a size in the unit of the study's tables.
func mebibytes(bytes int64) string {
	if bytes%(1<<20) != 0 {
		return units.Size(bytes)
	}
	return units.Comma(bytes>>20) + " MiB"
}

func reproductionNotes(p *printer, sorted []*record.Result) {
	proseOf(p, sorted, otherProtocol)
	proseOf(p, sorted, func(r *record.Result) string {
		return units.If(r.Checks.Hold() && len(r.Continued) > 0, say("continued", nil))
	})
	proseOf(p, sorted, func(r *record.Result) string { return units.If(r.Checks.Hold() && estimated(r), say("estimated", nil)) })
	proseOf(p, sorted, func(r *record.Result) string {
		return units.If(!r.Checks.Hold(), failedAt(mebibytes(r.Cache.Bytes), r))
	})
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
