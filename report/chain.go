package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Chain writes measurements of a client's operations on one chaindata directory: the cost
// of each at each cache size, and the keys that it gets.
func Chain(w io.Writer, results []*record.Chain) error {
	p := newPrinter(w)
	if len(results) == 0 {
		p.prose("There are no measurements.")
		return p.flush()
	}
	state := study.FirstKnown(results, func(r *record.Chain) *record.ChainState { return r.State })
	p.text("chain", chainText{results[0], state, cachesText(results), operationsText(results)})
	p.blank()
	operationTable(p, results)
	p.blank()
	good := slices.DeleteFunc(slices.Clone(results), func(r *record.Chain) bool { return !r.Checks.Hold() })
	for _, list := range study.ByOperation(good) {
		if len(categoriesOf(list)) > 0 {
			keysTable(p, list)
			p.blank()
		}
	}
	chainNotes(p, results)
	steadyNote(p, good)
	return p.flush()
}

// chainText is the data of the head: the first measurement, and what is of all of them.
type chainText struct {
	*record.Chain
	State              *record.ChainState
	Caches, Operations string
}

func cachesText(results []*record.Chain) string {
	caches := map[int64]float64{}
	for _, r := range results {
		caches[r.Cache.Bytes] = r.Cache.FractionOfDB
	}
	return distinct(slices.Sorted(maps.Keys(caches)), ", ", func(bytes int64) string {
		return fmt.Sprintf("%s (%s of the database)", units.Size(bytes), units.Percent(caches[bytes]))
	})
}

// operationsText says how many operations were made and on which targets: for each operation if they differ.
func operationsText(results []*record.Chain) string {
	all, lists := results[0].Workload, study.ByOperation(results)
	if slices.ContainsFunc(lists, func(list []*record.Chain) bool {
		w := list[0].Workload
		return w.Operations != all.Operations || w.WarmupOperations != all.WarmupOperations
	}) {
		return joined(lists, ", ", func(list []*record.Chain) string {
			w := list[0].Workload
			return fmt.Sprintf("%s %s after %s", list[0].OperationName(), units.Comma(w.Operations), units.Comma(w.WarmupOperations))
		})
	}
	return fmt.Sprintf("%s after %s", units.Plural(all.Operations, "operation"), units.Comma(all.WarmupOperations))
}

// operationRow is a measurement; the first of an operation has its name.
type operationRow struct {
	name string
	*record.Chain
}

func operationTable(p *printer, results []*record.Chain) {
	var rows []operationRow
	for _, list := range study.ByOperation(results) {
		name := units.OneLine(list[0].OperationName())
		for _, r := range list {
			rows = append(rows, operationRow{name, r})
			name = ""
		}
	}
	// No figure is shown of a run whose self-checks failed.
	hold := func(r operationRow) bool { return r.Checks.Hold() }
	figure := colIf(hold, units.Absent)
	perKey := func(name string, of func(record.ChainOperation) float64) column[operationRow] {
		return figure(name, func(r operationRow) string {
			return ratio(of(r.PerOp), r.PerOp.KVGets, hundredths)
		})
	}
	p.table(newTable(rows,
		col("operation", func(r operationRow) string { return r.name }),
		col("cache", func(r operationRow) string { return units.Size(r.Cache.Bytes) }),
		figure("keys\ngot", func(r operationRow) string { return hundredths(r.PerOp.KVGets) }),
		perKey("tables\n/key", func(o record.ChainOperation) float64 { return o.Tables }).spareAs(2),
		perKey("blocks\n/key", func(o record.ChainOperation) float64 { return o.Blocks }),
		figure("hit", func(r operationRow) string { return units.Thousandths(r.PerOp.HitRate) }),
		perKey("misses\n/key", func(o record.ChainOperation) float64 { return o.Misses }).spareAs(3),
		figure("reads", func(r operationRow) string { return readsCell(r.Reads) }),
		figure("KiB", func(r operationRow) string { return units.ThreeDigits(r.PerOp.BytesRead / 1024) }),
		figure("frozen\nitems", func(r operationRow) string { return hundredths(r.PerOp.FreezerItems) }).spareAs(4),
		colIf(hold, "FAILED")("µs", func(r operationRow) string { return units.ThreeDigits(r.PerOp.Microseconds) }).spareAs(1)))
}

// mostCaches fit side by side into a table of keys.
const mostCaches = 4

// keysTable writes which keys an operation gets and how many reads they cost with each cache.
func keysTable(p *printer, list []*record.Chain) {
	got := categoriesOf(list)
	for i, caches := range slices.Collect(slices.Chunk(list, mostCaches)) {
		if i > 0 {
			p.blank()
		}
		columns := []column[string]{
			col(units.OneLine(list[0].OperationName()), units.OneLine),
			col("keys got", func(category string) string { return hundredths(got[category].Gets) }),
			col("found", func(category string) string { return ratio(got[category].Found, got[category].Gets, units.Percent) }),
			col("bytes each", func(category string) string {
				return ratio(got[category].ValueBytes, got[category].Found, units.MeanSize)
			}),
		}
		for _, r := range caches {
			columns = append(columns, col("reads at\n"+units.Size(r.Cache.Bytes), func(category string) string {
				return decimals(r.Categories[category].Reads)
			}))
		}
		p.table(newTable(sortedKeys(got), columns...))
	}
}

// categoriesOf returns the keys of each category that an operation gets, by the first run that got any: the cache does
// not matter.
func categoriesOf(list []*record.Chain) map[string]record.ChainGets {
	all := map[string]record.ChainGets{}
	for _, r := range slices.Backward(list) {
		maps.Copy(all, r.Categories)
	}
	return all
}

func chainNotes(p *printer, results []*record.Chain) {
	p.text("chain notes", nil)
	var warnings []string
	for _, r := range results {
		warnings = append(warnings, r.Warnings...)
	}
	p.field("Warning", distinct(warnings, "; ", strings.Clone))
	for _, r := range results {
		p.failed(fmt.Sprintf("%s at %s: ", r.OperationName(), units.Size(r.Cache.Bytes)), r.Checks)
	}
}

func steadyNote(p *printer, results []*record.Chain) {
	var moving, unknown []string
	for _, r := range results {
		name := r.OperationName() + " at " + units.Size(r.Cache.Bytes)
		switch {
		case r.Reads.Steady == nil:
			unknown = append(unknown, name)
		case !*r.Reads.Steady:
			if r.Reads.Drift != nil {
				name += " (" + driftCell(*r.Reads.Drift) + ")"
			}
			moving = append(moving, name)
		}
	}
	if len(results) > 0 {
		p.text("steady chains", map[string]any{"Moving": moving, "Unknown": unknown, "All": len(unknown) == len(results)})
	}
}

// level0Columns are the printed operations and the heads of their columns.
var level0Columns = []struct{ name, head string }{
	{record.L0OldBlock, "getBlock\nold"}, {record.L0RecentBlock, "getBlock\nrecent"},
	{record.L0OldTx, "getTx\nold"}, {record.L0RecentTx, "getTx\nrecent"}, {record.L0Get, "any\nkey"},
}

// Level0 writes the cost of growing numbers of L0 tables, a table for each cache, and where it rises.
func Level0(w io.Writer, results []*record.Level0) error {
	p := newPrinter(w)
	for i, r := range results {
		if i == 0 {
			p.text("level0", r)
		}
		p.text("level0 cache", r)
		level0Table(p, r)
	}
	p.text("level0 notes", map[string]any{"Widest": level0Spread(results)})
	return p.flush()
}

// level0Spread returns the widest 95% interval of figures of a read or more, as a share; nil if there are none.
func level0Spread(results []*record.Level0) (widest *float64) {
	for _, r := range results {
		for _, row := range r.Rows {
			for _, o := range row.Operations {
				if o.Reads.CI95 == nil || o.Reads.Mean < 1 || !row.Checks.Hold() {
					continue
				}
				if share := half(*o.Reads.CI95) / o.Reads.Mean; widest == nil || share > *widest {
					widest = &share
				}
			}
		}
	}
	return widest
}

func level0Table(p *printer, r *record.Level0) {
	hold := func(row *record.Level0Row) bool { return row.Checks.Hold() }
	tables, operation := colIf(hold, units.Absent), colIf(hold, "FAILED")
	columns := []column[*record.Level0Row]{
		col("L0\ntables", func(row *record.Level0Row) string { return units.Comma(row.Tables) }),
		tables("sub-\nlevels", func(row *record.Level0Row) string { return units.Comma(row.Sublevels) }),
		tables("their index\nand filters", func(row *record.Level0Row) string { return units.Size(row.IndexBytes + row.FilterBytes) }),
	}
	for _, c := range level0Columns {
		columns = append(columns, operation(c.head, func(row *record.Level0Row) string { return level0Cell(row, c.name) }))
	}
	p.table(newTable(r.Rows, columns...))
	if r.Hold() {
		p.text("cliff", r.Cliff)
	}
	for _, row := range r.Rows {
		p.failed(units.Comma(row.Tables)+" tables: ", row.Checks)
	}
}

func level0Cell(row *record.Level0Row, name string) string {
	o, made := row.Operations[name]
	switch {
	case !made:
		return units.Absent
	case o.Reads.Mean >= 100:
		return whole(o.Reads.Mean) + " " + units.ThreeDigits(o.BytesRead/1024)
	}
	return fmt.Sprintf("%.2f %s", o.Reads.Mean, units.ThreeDigits(o.BytesRead/1024))
}

// Categories writes what a chaindata directory holds: a row for each category, the
// largest first, and the tables of the freezer.
func Categories(w io.Writer, r *record.Categories) error {
	p := newPrinter(w)
	p.text("categories", r)
	p.blank()
	categoryTable(p, r)
	p.text("counted keys", r)
	p.blank()
	freezerTable(p, r.Freezer)
	return p.flush()
}

// tally is a row of the table: a category, or all of them.
type tally struct {
	name string
	record.CategoryTally
}

func (t tally) bytes() int64 { return t.KeyBytes + t.ValueBytes }

func categoryTable(p *printer, r *record.Categories) {
	var tallies []tally
	for name, t := range r.Categories {
		tallies = append(tallies, tally{name, t})
	}
	slices.SortFunc(tallies, func(a, b tally) int { return cmp.Or(cmp.Compare(b.bytes(), a.bytes()), cmp.Compare(a.name, b.name)) })
	total, sampled, count := tally{"total", r.Total}, r.Sample != nil, units.Comma
	if sampled {
		count = units.Count
	}
	p.table(withTotal(tallies, total,
		col("category", func(t tally) string { return t.name }),
		col("keys", func(t tally) string { return count(t.Keys) }),
		col("±", func(t tally) string { return halfInterval(t.KeysHalfWidth(), t.Keys) }).when(sampled),
		col("key bytes", func(t tally) string { return units.Size(t.KeyBytes) }),
		col("value bytes", func(t tally) string { return units.Size(t.ValueBytes) }),
		col("±", func(t tally) string { return halfInterval(t.BytesHalfWidth(), t.bytes()) }).when(sampled),
		col("share", func(t tally) string { return units.PercentOf(t.bytes(), total.bytes()) }),
		col("per key", func(t tally) string { return ratio(float64(t.bytes()), float64(t.Keys), units.MeanSize) })))
}

// halfInterval is half of the width of a 95% interval, as a share.
func halfInterval(half *float64, of int64) string {
	return figure(half, func(half float64) string { return ratio(half, float64(of), units.Percent) })
}

func freezerTable(p *printer, tables []record.FreezerTable) {
	if len(tables) == 0 {
		p.text("no freezer", nil)
		return
	}
	p.table(newTable(tables,
		col("freezer", func(t record.FreezerTable) string { return cmp.Or(t.Freezer, units.Absent) }),
		col("table", func(t record.FreezerTable) string { return t.Name }).left(),
		col("items", func(t record.FreezerTable) string { return units.Comma(t.Items) }),
		col("removed", func(t record.FreezerTable) string { return units.Comma(t.Removed) }),
		col("bytes", func(t record.FreezerTable) string { return units.Size(t.Bytes) })))
}

// ChainMade writes what the chain that getio made in dir holds, and how fast it was made.
func ChainMade(w io.Writer, dir string, m *record.ChainMade) error {
	return writeText(w, "chain made", struct {
		*record.ChainMade
		Dir string
	}{m, dir})
}
