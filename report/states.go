package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

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

// valueNames are the kinds of values in sentences.
var valueNames = map[string]string{"random": "random values", "pool32": "pool32 values", "accounts": "accounts"}

func stateReads(p *printer, group []*record.State) error {
	first := group[0]
	p.prose(fmt.Sprintf("%s keys of %d bytes, %s of %d (seed %d); %s lookups of each kind, every value compared with what was loaded.",
		units.Comma(int64(first.Keys)), first.KeySize, valueNames[first.Values], first.ValueSize, first.Seed, lookupsOf(group)))
	p.blank()
	var rows []lookupRow
	for _, r := range group {
		claim, _, err := published.ClaimFor(r.Store.Name, r.Store.Configuration)
		if err != nil {
			return err
		}
		for i, row := range r.Rows {
			rows = append(rows, lookupRow{r, i, row, claim.Reads})
		}
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

// lookupsOf is the number of lookups of each kind, which may differ between stores.
func lookupsOf(group []*record.State) string {
	by := func(a, b *record.State) int { return cmp.Compare(a.Lookups, b.Lookups) }
	least, most := slices.MinFunc(group, by).Lookups, slices.MaxFunc(group, by).Lookups
	if least == most {
		return units.Comma(int64(most))
	}
	return units.Comma(int64(least)) + " to " + units.Comma(int64(most))
}

// coldInterval is half the width of the interval: its upper end minus the mean, since the
// lower end is never below 0.
func coldInterval(cold record.StateReads) string {
	if cold.CI95 == nil {
		return ""
	}
	return fmt.Sprintf("±%.2f", cold.CI95[1]-cold.Reads)
}

// budgetShares are those of the first row that has any.
func budgetShares(group []*record.State) (shares []float64) {
	for _, r := range group {
		for _, row := range r.Rows {
			for _, b := range row.Budgets {
				if !slices.Contains(shares, b.Share) {
					shares = append(shares, b.Share)
				}
			}
		}
	}
	slices.Sort(shares)
	return shares
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
	if all[0].Counted == record.CountedInside {
		p.prose("Cold: reads of files as the engines count them, with an empty page cache and the smallest caches of their own. Counting from outside needs root.")
	} else {
		p.prose("Cold: reads and KiB of one lookup, counted by the device of a private disk, with an empty page cache. The store's own caches are as small as possible; what they still hold is dropped before a lookup.")
	}
	if len(budgetShares(all)) > 0 {
		p.prose("Under a share: reads when memory and page cache together are this share of the store's size. They are simulated: an LRU of the pages that lookups read cold. In brackets: measured with the kernel's page cache, where the store reads through it. \"needs\": the store's own memory alone is more.")
	}
	if unseen := labels(all, unseenAccesses); unseen != "" {
		p.prose("For " + unseen + ", an LRU and a page cache of Linux that ignores accesses are simulated: its file is mapped for random access. The kernel read as one of the two or between them.")
	}
	if anyBudget(all, func(b record.StateBudget) bool { return reclaimedMark(b) != "" }) {
		p.prose("* meanwhile the machine evicted other pages, too, since it lacked memory. With enough memory, the kernel may read another number of times.")
	}
	if old := labels(all, budgetsOfPages); old != "" {
		p.prose("Of " + old + ", a share is of page cache and the smallest caches alone, without the rest of the store's memory.")
	}
	for _, r := range all {
		for _, c := range r.Store.Caches {
			if c.Stays && c.Least > mentionedCache {
				p.prose(fmt.Sprintf("%s: its %s of %s cannot be dropped, which saves its cold lookups reads.", storeName(r), units.OneLine(c.Name), units.Size(int64(c.Least))))
			}
		}
	}
	for _, note := range memoryParts(all) {
		p.prose(note)
	}
	p.prose("Claimed: reads or disk operations per value that were published for the design, with other data and another way of counting.")
	p.prose(fmt.Sprintf("Memory: memory during lookups, without cached pages of files. Load: random keys, committed every %s and settled every %s, with caches of %s. Written: bytes that the disk wrote for each byte of keys and values.",
		units.Comma(int64(all[0].Load.CommitKeys)), units.Comma(int64(all[0].Load.SettleKeys)), units.Size(all[0].Load.CacheBytes)))
	for _, note := range elsewhereNotes(all) {
		p.prose(note)
	}
}

// mentionedCache is the most bytes of a cache that cannot save a cold lookup a read: one page.
const mentionedCache = 4096

// memoryParts say what stores know of parts of their memory.
func memoryParts(all []*record.State) (notes []string) {
	for _, r := range all {
		for _, part := range r.Store.MemoryParts() {
			notes = append(notes, fmt.Sprintf("%s with %s keys: %s of its memory is its %s.", storeName(r), units.Count(int64(r.Keys)), units.Size(int64(part.Value)), units.OneLine(part.Name)))
		}
	}
	return notes
}

// labels lists the stores that a condition holds for.
func labels(all []*record.State, holds func(*record.State) bool) string {
	var names []string
	for _, r := range all {
		if name := storeName(r); holds(r) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// unseenAccesses reports whether a record has budgets of a page cache that ignores accesses.
func unseenAccesses(r *record.State) bool {
	return anyBudget([]*record.State{r}, func(b record.StateBudget) bool { return b.Linux != nil })
}

// anyBudget reports whether a condition holds for a budget.
func anyBudget(all []*record.State, holds func(record.StateBudget) bool) bool {
	for _, r := range all {
		for _, row := range r.Rows {
			if slices.ContainsFunc(row.Budgets, holds) {
				return true
			}
		}
	}
	return false
}

// budgetsOfPages reports whether a record has budgets without the store's memory.
func budgetsOfPages(r *record.State) bool {
	return slices.ContainsFunc(r.Rows, func(row record.StateRow) bool {
		return slices.ContainsFunc(row.Budgets, func(b record.StateBudget) bool { return b.MemoryBytes == nil })
	})
}

// elsewhereNotes say of each store that was measured elsewhere what was measured.
func elsewhereNotes(all []*record.State) (notes []string) {
	for _, r := range all {
		if r.Provenance == nil {
			continue
		}
		note := fmt.Sprintf("%s %s: measured elsewhere, with an adapter that is not in getio's repository (%s); %s %s", elsewhereMark, units.OneLine(r.Label), units.OneLine(r.Provenance.Adapter), units.OneLine(r.Store.Name), units.OneLine(r.Store.Version))
		if len(r.Store.Patches) > 0 {
			note += ", changed: " + units.OneLine(strings.Join(r.Store.Patches, "; "))
		}
		if f := r.Provenance.ValueFormat; f != "" {
			note += "; values: " + units.OneLine(f)
		}
		if note += "."; !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}
