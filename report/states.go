package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
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
	p.table(newTable(rows, append(columns, col("claimed", func(l lookupRow) string { return units.If(l.nth == 0, l.claimed) }))...))
	return nil
}

// coldInterval is half the width of the interval: its upper end minus the mean, since the lower end is never below 0.
func coldInterval(cold record.StateReads) string {
	if cold.CI95 == nil {
		return ""
	}
	return fmt.Sprintf("±%.2f", cold.CI95[1]-cold.Reads)
}

func budgetShares(group []*record.State) []float64 {
	return sharesOf(group, budgetsOf, func(b record.StateBudget) float64 { return b.Share })
}

// sharesOf returns the different shares of what records have, the least first.
func sharesOf[T any](group []*record.State, all func(*record.State) []T, of func(T) float64) (shares []float64) {
	for _, r := range group {
		for _, one := range all(r) {
			shares = append(shares, of(one))
		}
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
				cell += fmt.Sprintf(" (%.2f%s)", b.Kernel.Reads, units.If(reclaimed(b), "*"))
			}
		}
	}
	return cell
}

// reclaimed reports whether a kernel's figure was measured on a machine that lacked memory.
func reclaimed(b record.StateBudget) bool {
	return b.MachineReclaimed != nil && *b.MachineReclaimed > 0
}

func stateNotes(p *printer, all []*record.State) {
	p.text("state notes", struct {
		*record.State
		Shares, Reclaimed bool
		Unseen, OfPages   string
	}{
		all[0], len(budgetShares(all)) > 0,
		storesWith(all, reclaimed) != "",
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
	proseOf(p, all, func(r *record.State) string {
		if r.Provenance == nil {
			return ""
		}
		return say("elsewhere", r)
	})
}

// mentionedCache is the most bytes of a cache that cannot save a cold lookup a read: one page.
const mentionedCache = 4096

func storesWith(all []*record.State, holds func(record.StateBudget) bool) string {
	return distinct(all, ", ", func(r *record.State) string { return units.If(slices.ContainsFunc(budgetsOf(r), holds), storeName(r)) })
}

// lookupRow is the lookups of one kind in a store, whose first row names it.
type lookupRow struct {
	of  *record.State
	nth int
	record.StateRow
	claimed string
}

func lookupRows(group []*record.State) (rows []lookupRow) {
	for _, r := range group {
		for i, row := range r.Rows {
			rows = append(rows, lookupRow{of: r, nth: i, StateRow: row})
		}
	}
	return rows
}

func storeName(r *record.State) string { return units.OneLine(r.MarkedLabel()) }

var lookupNames = map[string]string{
	record.LookupsOfExisting: "existing", record.LookupsOfAbsent: "absent", record.LookupsWithProof: "with proof",
}

func (l lookupRow) store() string { return units.If(l.nth == 0, storeName(l.of)) }
func (l lookupRow) kind() string  { return lookupNames[l.Kind] }
func (l lookupRow) cold() string  { return fmt.Sprintf("%.2f", l.Cold.Reads) }

func stateCosts(p *printer, group []*record.State) {
	perKey := func(name, format string, of func(*record.State) float64) column[*record.State] {
		return col(name, func(r *record.State) string { return fmt.Sprintf(format, of(r)/float64(r.Keys)) })
	}
	p.table(newTable(group,
		col("store", storeName),
		col("version", func(r *record.State) string { return shortened(units.OneLine(r.Store.Version), 20) }).left().spareAs(2),
		perKey("on disk\nB/key", "%.0f", func(r *record.State) float64 { return float64(r.DiskBytes) }),
		col("memory\nMiB", memoryOf),
		col("load\nkeys/s", func(r *record.State) string { return units.Count(int64(float64(r.Keys) / r.Load.Seconds)) }).spareAs(1),
		perKey("load CPU\nus/key", "%.1f", func(r *record.State) float64 { return 1e6 * r.Load.CPUSeconds }).spareAs(3),
		col("written\nper byte", func(r *record.State) string { return amplification(r, r.Load, 1) }),
		col("proof\nbytes", func(r *record.State) string {
			return figure(r.Row(record.LookupsWithProof), func(row record.StateRow) string { return figureIf(row.ProofBytes > 0, whole(row.ProofBytes)) })
		})))
	noteUnused(p, group)
}

// memoryOf is the memory of a store in MiB, marked if it includes unused memory.
func memoryOf(r *record.State) string {
	return figureIf(r.AnonymousBytes > 0, fmt.Sprintf("%.1f%s", float64(r.AnonymousBytes)/(1<<20), units.If(r.IncludesUnused(), "*")))
}

// noteUnused explains the mark of memoryOf, if a record of a group has it.
func noteUnused(p *printer, group []*record.State) {
	if slices.ContainsFunc(group, func(r *record.State) bool { return r.AnonymousBytes > 0 && r.IncludesUnused() }) {
		p.text("unused memory", nil)
	}
}

// amplification is the bytes written for each byte of keys and values of a share of the keys.
func amplification(r *record.State, l record.StateLoad, share float64) string {
	perByte := float64(l.WrittenBytes) / (share * float64(r.Keys) * float64(r.KeySize+r.ValueSize))
	return figureIf(l.WrittenBytes > 0, fmt.Sprintf("%.1f", perByte))
}

// stateWear writes what lookups cost after shares of the keys were overwritten, if any were.
func stateWear(p *printer, group []*record.State) {
	shares := sharesOf(group, func(r *record.State) []record.StateWorn { return r.Worn }, func(w record.StateWorn) float64 { return w.Share })
	if len(shares) == 0 {
		return
	}
	rows := lookupRows(slices.DeleteFunc(slices.Clone(group), func(r *record.State) bool { return len(r.Worn) == 0 }))
	columns := []column[lookupRow]{col("store", lookupRow.store), col("lookups of", lookupRow.kind).left(), col("cold\nas loaded", lookupRow.cold)}
	for _, share := range shares {
		columns = append(columns, col(fmt.Sprintf("%g%% over-\nwritten", 100*share), func(l lookupRow) string {
			if worn, _ := l.wornTo(share); worn != nil && l.nth < len(worn.Rows) {
				return fmt.Sprintf("%.2f", worn.Rows[l.nth].Cold.Reads)
			}
			return units.Absent
		}))
	}
	for nth, share := range shares {
		// What a store takes stands in its first row.
		costs := func(name string, of func(l lookupRow, worn *record.StateWorn, before float64) string) column[lookupRow] {
			return col(name, func(l lookupRow) string {
				worn, before := l.wornTo(share)
				if l.nth > 0 || worn == nil || len(worn.Rows) == 0 {
					return ""
				}
				return of(l, worn, before)
			})
		}
		columns = append(columns,
			costs(fmt.Sprintf("at %g%%\nB/key", 100*share), func(l lookupRow, worn *record.StateWorn, _ float64) string {
				return whole(float64(worn.DiskBytes) / float64(l.of.Keys))
			}),
			costs("written\nper byte", func(l lookupRow, worn *record.StateWorn, before float64) string {
				return amplification(l.of, worn.Load, share-before)
			}).spareAs(nth+1))
	}
	p.text("worn", nil)
	p.table(newTable(rows, columns...))
}

// wornTo returns the store after that share of its keys was overwritten, nil if that was not measured, and the share
// before.
func (l lookupRow) wornTo(share float64) (worn *record.StateWorn, before float64) {
	for i := range l.of.Worn {
		if w := &l.of.Worn[i]; w.Share == share {
			return w, before
		}
		before = l.of.Worn[i].Share
	}
	return nil, 0
}

// grown is the runs of a store with different numbers of keys, by these.
type grown []*record.State

// stateGrowth writes how cold reads and memory grow with the keys, for stores measured with several numbers of keys.
func stateGrowth(p *printer, all []*record.State) {
	for _, group := range study.ComparableStates(all) {
		var sizes []uint64
		for _, r := range group {
			if r.Row(record.LookupsOfExisting) != nil {
				sizes = append(sizes, r.Keys)
			}
		}
		slices.Sort(sizes)
		if sizes = slices.Compact(sizes); len(sizes) < 2 {
			continue
		}
		var stores []grown
		for _, runs := range study.GroupBy(group, func(r *record.State) any { return r.Label }) {
			slices.SortStableFunc(runs, func(a, b *record.State) int { return cmp.Compare(a.Keys, b.Keys) })
			stores = append(stores, slices.CompactFunc(runs, func(a, b *record.State) bool { return a.Keys == b.Keys }))
		}
		p.text("growth of reads", nil)
		p.table(newTable(stores, growthColumns(sizes, coldReads, col("per tenfold", func(runs grown) string {
			return figure(runs.reads().line(), func(l line) string { return fmt.Sprintf("%+.2f", l.slope) })
		}))...))
		growthOfMemory(p, group, stores, sizes)
	}
}

func growthOfMemory(p *printer, group []*record.State, stores []grown, sizes []uint64) {
	stores = slices.DeleteFunc(stores, func(runs grown) bool { return runs.memory().line() == nil })
	if len(stores) == 0 {
		return
	}
	p.text("growth of memory", nil)
	p.table(newTable(stores, growthColumns(sizes, memoryOf,
		col("fixed", func(runs grown) string { return fmt.Sprintf("%.1f", runs.memory().line().at0/(1<<20)) }),
		col("B/key", func(runs grown) string { return fmt.Sprintf("%.1f", runs.memory().line().slope) }),
		col("predicted", func(runs grown) string { return predictedMemory(runs.memory()) }).when(len(sizes) > 2))...))
	noteUnused(p, group)
	if len(sizes) > 2 {
		p.text("predicted memory", nil)
	}
}

// growthColumns are a figure of a store by number of keys, and what follows from them.
func growthColumns(sizes []uint64, of func(*record.State) string, more ...column[grown]) []column[grown] {
	columns := []column[grown]{col("store", func(runs grown) string { return storeName(runs[0]) })}
	for _, n := range sizes {
		columns = append(columns, col(units.Count(int64(n)), func(runs grown) string {
			if i := slices.IndexFunc(runs, func(r *record.State) bool { return r.Keys == n }); i >= 0 {
				return of(runs[i])
			}
			return units.Absent
		}))
	}
	return append(columns, more...)
}

func coldReads(r *record.State) string {
	return figure(r.Row(record.LookupsOfExisting), func(row record.StateRow) string { return fmt.Sprintf("%.2f", row.Cold.Reads) })
}

// points are figures of a store by number of keys.
type (
	points []point
	point  struct{ x, y float64 }
)

// reads are the reads of a cold lookup, by the logarithm of the number of keys.
func (runs grown) reads() (all points) {
	for _, r := range runs {
		if row := r.Row(record.LookupsOfExisting); row != nil {
			all = append(all, point{math.Log10(float64(r.Keys)), row.Cold.Reads})
		}
	}
	return all
}

// memory is the memory that was measured as in the first run: a line is drawn through such memory alone.
func (runs grown) memory() (all points) {
	for _, r := range runs {
		if r.AnonymousBytes > 0 && r.IncludesUnused() == runs[0].IncludesUnused() {
			all = append(all, point{float64(r.Keys), float64(r.AnonymousBytes)})
		}
	}
	return all
}

type line struct{ at0, slope float64 }

// line is that through the first and the last point; nil if there are fewer than two.
func (p points) line() *line {
	if len(p) < 2 {
		return nil
	}
	from, to := p[0], p[len(p)-1]
	slope := (to.y - from.y) / (to.x - from.x)
	return &line{from.y - slope*from.x, slope}
}

// predictedMemory is the memory at the last point on the line through the points before it, and how
// far that is from the last point.
func predictedMemory(memory points) string {
	last := memory[len(memory)-1]
	return figure(memory[:len(memory)-1].line(), func(l line) string {
		predicted := l.at0 + l.slope*last.x
		return fmt.Sprintf("%.1f (%+.0f%%)", predicted/(1<<20), 100*(predicted/last.y-1))
	})
}
