package report

import (
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
	state := firstKnown(results, func(r *record.Chain) *record.ChainState { return r.State })
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

// cachesText lists the caches and their shares of the database.
func cachesText(results []*record.Chain) string {
	caches := map[int64]float64{}
	for _, r := range results {
		caches[r.Cache.Bytes] = r.Cache.FractionOfDB
	}
	return distinct(slices.Sorted(maps.Keys(caches)), ", ", func(bytes int64) string {
		return fmt.Sprintf("%s (%s of the database)", units.Size(bytes), units.Percent(caches[bytes]))
	})
}

// operationsText says how many operations were made and on which targets: for each operation
// if they differ.
func operationsText(results []*record.Chain) string {
	var numbers []string
	differ := false
	for _, list := range study.ByOperation(results) {
		w := list[0].Workload
		differ = differ || w.Operations != results[0].Workload.Operations || w.WarmupOperations != results[0].Workload.WarmupOperations
		numbers = append(numbers, fmt.Sprintf("%s %s after %s", list[0].OperationName(), units.Comma(w.Operations), units.Comma(w.WarmupOperations)))
	}
	if differ {
		return strings.Join(numbers, ", ")
	}
	w := results[0].Workload
	return fmt.Sprintf("%s after %s", units.Plural(w.Operations, "operation"), units.Comma(w.WarmupOperations))
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
	if len(warnings) > 0 {
		p.field("Warning", distinct(warnings, "; ", strings.Clone))
	}
	for _, r := range results {
		p.failed(fmt.Sprintf("%s at %s: ", r.OperationName(), units.Size(r.Cache.Bytes)), r.Checks)
	}
}

// steadyNote says which runs are steady.
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
