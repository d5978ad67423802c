package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"getio/numbers/published"
	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// States writes state databases beside each other: the reads of lookups, what the stores take, and
// how both grow with the number of keys. The caller leaves out records whose self-checks failed.
func States(w io.Writer, all []*record.State) error {
	p := newPrinter(w)
	for i, group := range bySizes(all) {
		if i > 0 {
			p.blank()
		}
		if err := stateReads(p, group); err != nil {
			return err
		}
		p.blank()
		stateCosts(p, group)
		stateWear(p, group)
	}
	stateGrowth(p, all)
	if len(all) > 0 {
		p.blank()
		stateNotes(p, all)
	}
	return p.flush()
}

// bySizes groups comparable records by number of keys.
func bySizes(all []*record.State) (groups [][]*record.State) {
	for _, comparable := range study.ComparableStates(all) {
		groups = append(groups, study.GroupBy(comparable, func(r *record.State) any { return r.Keys })...)
	}
	slices.SortStableFunc(groups, func(a, b []*record.State) int { return cmp.Compare(a[0].Keys, b[0].Keys) })
	return groups
}

func stateReads(p *printer, group []*record.State) error {
	least, most := extent(group, func(r *record.State) int { return r.Lookups })
	p.text("lookups of states", struct {
		*record.State
		LeastLookups, MostLookups int
	}{group[0], least, most})
	p.blank()
	rows := lookupRows(group)
	for i, l := range rows {
		claim, _, err := published.ClaimFor(l.of.Store.Name, l.of.Store.Configuration)
		if err != nil {
			return err
		}
		rows[i].claimed = claim.Reads
	}
	columns := []column[lookupRow]{
		col("store", lookupRow.store),
		col("lookups of", lookupRow.kind).left(),
		col("cold", lookupRow.cold),
		col("", func(l lookupRow) string { return coldInterval(l.Cold) }),
		col("KiB", func(l lookupRow) string { return fmt.Sprintf("%.1f", l.Cold.Bytes/1024) }),
	}
	for _, share := range budgetShares(group) {
		columns = append(columns, col(fmt.Sprintf("%g%%", 100*share), func(l lookupRow) string { return budgetCell(l, share) }))
	}
	p.table(newTable(rows, append(columns, col("claimed", func(l lookupRow) string { return ifAny(l.nth == 0, l.claimed) }))...))
	return nil
}

// coldInterval is half the width of the interval: its upper end minus the mean, since the
// lower end is never below 0.
func coldInterval(cold record.StateReads) string {
	if cold.CI95 == nil {
		return ""
	}
	return fmt.Sprintf("±%.2f", cold.CI95[1]-cold.Reads)
}

// budgetShares are the shares that any record has budgets of.
func budgetShares(group []*record.State) []float64 {
	return sharesOf(group, func(r *record.State) (shares []float64) {
		for _, b := range budgetsOf(r) {
			shares = append(shares, b.Share)
		}
		return shares
	})
}

// sharesOf returns the different shares of records, the least first.
func sharesOf(group []*record.State, of func(*record.State) []float64) (shares []float64) {
	for _, r := range group {
		shares = append(shares, of(r)...)
	}
	slices.Sort(shares)
	return slices.Compact(shares)
}

func budgetsOf(r *record.State) (all []record.StateBudget) {
	for _, row := range r.Rows {
		all = append(all, row.Budgets...)
	}
	return all
}

// budgetCell is the reads within a budget: with a simulated page cache, and with the kernel's; or what the store's
// memory takes, if that is more than the budget.
func budgetCell(l lookupRow, share float64) string {
	cell := units.Absent
	for _, b := range l.Budgets {
		switch {
		case b.Share != share:
		case b.LRU == nil && b.MemoryBytes != nil:
			cell = "needs " + units.Percent(float64(*b.MemoryBytes)/float64(l.of.DiskBytes))
		case b.LRU != nil:
			cell = fmt.Sprintf("%.2f", b.LRU.Reads)
			if b.Linux != nil {
				cell += fmt.Sprintf("-%.2f", b.Linux.Reads)
			}
			if b.Kernel != nil {
				cell += fmt.Sprintf(" (%.2f%s)", b.Kernel.Reads, reclaimedMark(b))
			}
		}
	}
	return cell
}

// reclaimedMark marks a kernel's figure that was measured on a machine that lacked memory.
func reclaimedMark(b record.StateBudget) string {
	if b.MachineReclaimed != nil && *b.MachineReclaimed > 0 {
		return "*"
	}
	return ""
}

// stateNotes explain the figures.
func stateNotes(p *printer, all []*record.State) {
	p.text("state notes", struct {
		*record.State
		Shares, Reclaimed bool
		Unseen, OfPages   string
	}{
		all[0], len(budgetShares(all)) > 0,
		storesWith(all, func(b record.StateBudget) bool { return reclaimedMark(b) != "" }) != "",
		storesWith(all, func(b record.StateBudget) bool { return b.Linux != nil }),
		storesWith(all, func(b record.StateBudget) bool { return b.MemoryBytes == nil }),
	})
	for _, r := range all {
		for _, c := range r.Store.Caches {
			if c.Stays && c.Least > mentionedCache {
				p.text("staying cache", map[string]any{"Store": storeName(r), "Cache": c})
			}
		}
	}
	for _, r := range all {
		for _, part := range r.Store.MemoryParts() {
			p.text("memory part", map[string]any{"Store": storeName(r), "Keys": r.Keys, "Part": part})
		}
	}
	p.text("claimed", all[0])
	var notes []string
	for _, r := range all {
		if r.Provenance == nil {
			continue
		}
		if note := say("elsewhere", r); !slices.Contains(notes, note) {
			notes = append(notes, note)
			p.prose(note)
		}
	}
}

// mentionedCache is the most bytes of a cache that cannot save a cold lookup a read: one page.
const mentionedCache = 4096

// storesWith lists the stores that have a budget for which a condition holds.
func storesWith(all []*record.State, holds func(record.StateBudget) bool) string {
	return distinct(all, ", ", func(r *record.State) string { return ifAny(slices.ContainsFunc(budgetsOf(r), holds), storeName(r)) })
}

// lookupRow is the lookups of one kind in a store, whose first row names it.
type lookupRow struct {
	of  *record.State
	nth int
	record.StateRow
	claimed string
}

// lookupRows has a row for each kind of lookups.
func lookupRows(group []*record.State) (rows []lookupRow) {
	for _, r := range group {
		for i, row := range r.Rows {
			rows = append(rows, lookupRow{of: r, nth: i, StateRow: row})
		}
	}
	return rows
}

// storeName is the name of a row, marked if the store was measured with an adapter outside getio's repository.
func storeName(r *record.State) string {
	if r.Provenance != nil {
		return units.OneLine(r.Label) + " †"
	}
	return units.OneLine(r.Label)
}

// lookupNames are the kinds of lookups in tables.
var lookupNames = map[string]string{
	record.LookupsOfExisting: "existing", record.LookupsOfAbsent: "absent", record.LookupsWithProof: "with proof",
}

func (l lookupRow) store() string { return ifAny(l.nth == 0, storeName(l.of)) }
func (l lookupRow) kind() string  { return lookupNames[l.Kind] }
func (l lookupRow) cold() string  { return fmt.Sprintf("%.2f", l.Cold.Reads) }
