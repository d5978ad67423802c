package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Chain writes measurements of a client's operations on one chaindata directory: the cost
// of each at each cache size, and the keys that it gets.
func Chain(w io.Writer, results []*record.Chain) error {
	var p printer
	if len(results) == 0 {
		p.prose("There are no measurements.")
		return p.writeTo(w)
	}
	chainHead(&p, results)
	p.blank()
	operationTable(&p, results)
	p.blank()
	good := slices.DeleteFunc(slices.Clone(results), func(r *record.Chain) bool { return !r.Checks.Hold() })
	for _, list := range study.ByOperation(good) {
		if len(categoriesOf(list)) > 0 {
			keysTable(&p, list)
			p.blank()
		}
	}
	chainNotes(&p, results)
	steadyNote(&p, good)
	return p.writeTo(w)
}

func chainHead(p *printer, results []*record.Chain) {
	first := results[0]
	p.field("Directory", first.Path)
	p.field("Engine", engineText(first.Engine))
	total := first.Shape.Total()
	p.field("Database", fmt.Sprintf("%s in %s", units.Size(total.Bytes), units.Plural(total.Tables, "table")))
	p.field("Caches", cachesText(results))
	p.field("Head", "block "+units.Comma(int64(first.Head)))
	if i := slices.IndexFunc(results, func(r *record.Chain) bool { return r.State != nil }); i >= 0 {
		s := results[i].State
		p.field("State", fmt.Sprintf("%s scheme, root %s", s.Scheme, s.Root))
	}
	p.field("Operations", operationsText(results))
}

// cachesText lists the caches and their shares of the database.
func cachesText(results []*record.Chain) string {
	caches := map[int64]float64{}
	for _, r := range results {
		caches[r.Cache.Bytes] = r.Cache.FractionOfDB
	}
	var list []string
	for _, bytes := range slices.Sorted(maps.Keys(caches)) {
		list = append(list, fmt.Sprintf("%s (%s of the database)", units.Size(bytes), units.Percent(caches[bytes])))
	}
	return strings.Join(list, ", ")
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
	w := results[0].Workload
	text := fmt.Sprintf("%s after %s", units.Plural(w.Operations, "operation"), units.Comma(w.WarmupOperations))
	if differ {
		text = strings.Join(numbers, ", ")
	}
	text += " to warm up, one after another, "
	if w.Zipf > 0 {
		return text + fmt.Sprintf("by a Zipf distribution of exponent %g (seed %d)", w.Zipf, w.Seed)
	}
	return text + fmt.Sprintf("all targets equally likely (seed %d)", w.Seed)
}

func operationTable(p *printer, results []*record.Chain) {
	g := textTable{header: []string{"operation", "cache", "keys\ngot", "tables\n/key", "blocks\n/key", "hit", "misses\n/key",
		"reads", "KiB", "frozen\nitems", "µs"}, spare: []int{10, 3, 6, 9}}
	for _, list := range study.ByOperation(results) {
		name := units.OneLine(list[0].OperationName())
		for _, r := range list {
			g.add(append([]string{name, units.Size(r.Cache.Bytes)}, operationFigures(r)...)...)
			name = ""
		}
	}
	p.table(&g)
}

// operationFigures returns the cells of a measurement; none of a run whose self-checks failed.
func operationFigures(r *record.Chain) []string {
	if !r.Checks.Hold() {
		return append(absent(8), "FAILED")
	}
	o := r.PerOp
	perKey := func(n float64) string {
		if o.KVGets == 0 {
			return units.Absent
		}
		return fmt.Sprintf("%.2f", n/o.KVGets)
	}
	return []string{
		fmt.Sprintf("%.2f", o.KVGets), perKey(o.Tables), perKey(o.Blocks), units.Thousandths(o.HitRate), perKey(o.Misses),
		readsCell(r.Reads), units.ThreeDigits(o.BytesRead / 1024), fmt.Sprintf("%.2f", o.FreezerItems), units.ThreeDigits(o.Microseconds),
	}
}

// readsCell is the mean and half of the width of its 95% interval.
func readsCell(io record.IOsPerGet) string {
	cell := fmt.Sprintf("%.3f", io.Mean)
	if io.CI95 != nil {
		cell += fmt.Sprintf(" ±%.3f", (io.CI95[1]-io.CI95[0])/2)
	}
	return cell
}

// mostCaches fit side by side into a table of keys.
const mostCaches = 4

// keysTable writes which keys an operation gets and how many reads they cost with each cache.
func keysTable(p *printer, list []*record.Chain) {
	for i, caches := range slices.Collect(slices.Chunk(list, mostCaches)) {
		if i > 0 {
			p.blank()
		}
		g := textTable{header: []string{units.OneLine(list[0].OperationName()), "keys got", "found", "bytes each"}}
		for _, r := range caches {
			g.header = append(g.header, "reads at\n"+units.Size(r.Cache.Bytes))
		}
		for _, category := range categoriesOf(list) {
			cells := keyCells(category, list)
			for _, r := range caches {
				cells = append(cells, fmt.Sprintf("%.3f", r.Categories[category].Reads))
			}
			g.add(cells...)
		}
		p.table(&g)
	}
}

// categoriesOf returns the categories that any run got keys of.
func categoriesOf(list []*record.Chain) []string {
	all := map[string]bool{}
	for _, r := range list {
		for category := range r.Categories {
			all[category] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// keyCells writes how many keys of a category an operation gets, by the first run that
// got any: the cache does not matter.
func keyCells(category string, list []*record.Chain) []string {
	var of record.ChainGets
	for _, r := range list {
		if got, ok := r.Categories[category]; ok {
			of = got
			break
		}
	}
	cells := []string{units.OneLine(category), fmt.Sprintf("%.2f", of.Gets), units.Absent, units.Absent}
	if of.Gets > 0 {
		cells[2] = units.Percent(of.Found / of.Gets)
	}
	if of.Found > 0 {
		cells[3] = units.MeanSize(of.ValueBytes / of.Found)
	}
	return cells
}

func chainNotes(p *printer, results []*record.Chain) {
	p.prose("All figures are per operation unless marked per key. Keys are read from the key-value store without the client's own caches. " +
		"Frozen items are read from the freezer, with two file reads each and no block cache. The operating system's page cache may serve reads, so times depend on it.")
	var warnings []string
	for _, r := range results {
		for _, w := range r.Warnings {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	if len(warnings) > 0 {
		p.field("Warning", strings.Join(warnings, "; "))
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
			moving = append(moving, fmt.Sprintf("%s (%s)", name, steadyCell(r.Reads)))
		}
	}
	switch {
	case len(results) == 0:
		return
	case len(unknown) == len(results):
		p.prose("There were too few operations to tell whether any run is steady.")
	case len(unknown) > 0:
		p.prose("Too few operations to tell whether they are steady: " + strings.Join(unknown, ", ") + ".")
	}
	switch {
	case len(moving) > 0:
		p.prose("Not steady yet: " + strings.Join(moving, ", ") + ".")
	case len(unknown) == 0:
		p.prose("All runs are steady.")
	}
}

// ChainMade writes what the chain that getio made in dir holds, and how fast it was made.
func ChainMade(w io.Writer, dir string, m *record.ChainMade) error {
	var p printer
	plan := m.Plan
	p.field("Made", dir)
	p.field("Engine", m.Engine)
	p.field("State", fmt.Sprintf("%s accounts, %s of them contracts with %g slots on average; %s scheme%s; root %s",
		units.Comma(int64(plan.Accounts+plan.Allocated)), units.Percent(plan.Contracts), plan.Slots, plan.Scheme, flatText(plan), m.Root))
	p.field("Chain", fmt.Sprintf("%s after genesis, %s each; %s in the freezer; the newest %s changed the state",
		units.Plural(int64(plan.Blocks), "block"), units.Plural(int64(plan.Txs), "transaction"), units.Comma(int64(plan.Frozen)), units.Comma(int64(plan.Aged))))
	p.field("Size", fmt.Sprintf("%s on disk, made in %s", units.Size(m.Bytes), time.Duration(m.Seconds*float64(time.Second)).Round(time.Second)))
	p.field("Speed", fmt.Sprintf("%s accounts and %s blocks per second of processor time", rateText(m.State), rateText(m.Chain)))
	return p.writeTo(w)
}

func flatText(p record.ChainPlan) string {
	text := ""
	if p.Flat {
		text = ", and flat"
	}
	if p.Archive {
		text += ", all states kept"
	}
	return text
}

func rateText(c record.Cost) string {
	if c.CPUSeconds <= 0 {
		return units.Absent
	}
	return units.ThreeDigits(float64(c.Things) / c.CPUSeconds)
}
