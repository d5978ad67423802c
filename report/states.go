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
	var p printer
	for i, group := range bySizes(all) {
		if i > 0 {
			p.blank()
		}
		if err := stateReads(&p, group); err != nil {
			return err
		}
		p.blank()
		stateCosts(&p, group)
		stateWear(&p, group)
	}
	stateGrowth(&p, all)
	if len(all) > 0 {
		p.blank()
		stateNotes(&p, all)
	}
	return p.writeTo(w)
}

// bySizes groups comparable records by number of keys.
func bySizes(all []*record.State) (groups [][]*record.State) {
	for _, comparable := range study.ComparableStates(all) {
		groups = append(groups, study.GroupBy(comparable, func(r *record.State) any { return r.Keys })...)
	}
	slices.SortStableFunc(groups, func(a, b []*record.State) int { return cmp.Compare(a[0].Keys, b[0].Keys) })
	return groups
}

// elsewhereMark marks stores that were measured with an adapter outside getio's repository.
const elsewhereMark = "†"

// storeName is the name of a row.
func storeName(r *record.State) string {
	if r.Provenance != nil {
		return units.OneLine(r.Label) + " " + elsewhereMark
	}
	return units.OneLine(r.Label)
}

// lookupNames are the kinds of lookups in tables.
var lookupNames = map[string]string{
	record.LookupsOfExisting: "existing", record.LookupsOfAbsent: "absent", record.LookupsWithProof: "with proof",
}

// valueNames are the kinds of values in sentences.
var valueNames = map[string]string{"random": "random values", "pool32": "pool32 values", "accounts": "accounts"}

func stateReads(p *printer, group []*record.State) error {
	first := group[0]
	p.prose(fmt.Sprintf("%s keys of %d bytes, %s of %d (seed %d); %s lookups of each kind, every value compared with what was loaded.",
		units.Comma(int64(first.Keys)), first.KeySize, valueNames[first.Values], first.ValueSize, first.Seed, lookupsOf(group)))
	p.blank()
	g := &textTable{header: []string{"store", "lookups of", "cold", "", "KiB"}, left: []int{1}}
	shares := budgetShares(group)
	for _, s := range shares {
		g.header = append(g.header, fmt.Sprintf("%g%%", 100*s))
	}
	g.header = append(g.header, "claimed")
	for _, r := range group {
		claim, _, err := published.ClaimFor(r.Store.Name, r.Store.Configuration)
		if err != nil {
			return err
		}
		for i, row := range r.Rows {
			name, says := storeName(r), claim.Reads
			if i > 0 {
				name, says = "", ""
			}
			g.add(append(append([]string{name, lookupNames[row.Kind], fmt.Sprintf("%.2f", row.Cold.Reads), coldInterval(row.Cold), fmt.Sprintf("%.1f", row.Cold.Bytes/1024)},
				budgetCells(r, row, shares)...), says)...)
		}
	}
	p.table(g)
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

// budgetCells are the reads within each budget: with a simulated page cache, and with the kernel's; or
// what the store's memory takes, if that is more than the budget.
func budgetCells(r *record.State, row record.StateRow, shares []float64) []string {
	cells := make([]string, len(shares))
	for i, s := range shares {
		cells[i] = "-"
		for _, b := range row.Budgets {
			switch {
			case b.Share != s:
			case b.LRU == nil && b.MemoryBytes != nil:
				cells[i] = "needs " + units.Percent(float64(*b.MemoryBytes)/float64(r.DiskBytes))
			case b.LRU != nil:
				cells[i] = fmt.Sprintf("%.2f", b.LRU.Reads)
				if b.Linux != nil {
					cells[i] += fmt.Sprintf("-%.2f", b.Linux.Reads)
				}
				if b.Kernel != nil {
					cells[i] += fmt.Sprintf(" (%.2f%s)", b.Kernel.Reads, reclaimedMark(b))
				}
			}
		}
	}
	return cells
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
