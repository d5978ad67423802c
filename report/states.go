package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
	"getio/tree/published"
)

// States writes state databases beside each other: the reads of lookups, what the stores take, and
// how reads grow with the number of keys. The caller leaves out records whose self-checks failed.
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
	}
	if g := stateGrowth(all); g != nil {
		p.blank()
		p.line("Reads of a cold lookup of an existing key, by number of keys")
		p.table(g)
	}
	if len(all) > 0 {
		p.blank()
		stateNotes(&p, all)
	}
	return p.writeTo(w)
}

// bySizes groups records by number of keys, and by values and lookups.
func bySizes(all []*record.State) (groups [][]*record.State) {
	groups = study.GroupBy(all, func(r *record.State) any {
		return []any{r.Keys, r.Values, r.ValueSize, r.Seed, r.Lookups, r.Counted}
	})
	slices.SortStableFunc(groups, func(a, b []*record.State) int { return cmp.Compare(a[0].Keys, b[0].Keys) })
	return groups
}

// lookupNames are the kinds of lookups in tables.
var lookupNames = map[string]string{
	record.LookupsOfExisting: "existing", record.LookupsOfAbsent: "absent", record.LookupsWithProof: "with proof",
}

func stateReads(p *printer, group []*record.State) error {
	first := group[0]
	p.prose(fmt.Sprintf("%s keys of %d bytes, %s values of %d (seed %d); %s lookups of each kind, every value compared with what was loaded.",
		units.Comma(int64(first.Keys)), first.KeySize, first.Values, first.ValueSize, first.Seed, units.Comma(int64(first.Lookups))))
	p.blank()
	g := &textTable{header: []string{"store", "lookups of", "cold", "", "KiB"}, left: []int{1}}
	shares := budgetShares(group)
	for _, s := range shares {
		g.header = append(g.header, fmt.Sprintf("%g%%", 100*s))
	}
	g.header = append(g.header, "claimed")
	for _, r := range group {
		claim, _, err := published.ClaimFor(r.Store.Name)
		if err != nil {
			return err
		}
		for i, row := range r.Rows {
			name, says := oneLine(r.Label), claim.Reads
			if i > 0 {
				name, says = "", ""
			}
			g.add(append(append([]string{name, lookupNames[row.Kind], fmt.Sprintf("%.2f", row.Cold.Reads), coldInterval(row.Cold), fmt.Sprintf("%.1f", row.Cold.Bytes/1024)},
				budgetCells(row, shares)...), says)...)
		}
	}
	p.table(g)
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

// budgetCells are the reads within each budget: those of a simulated LRU, and the kernel's.
func budgetCells(row record.StateRow, shares []float64) []string {
	cells := make([]string, len(shares))
	for i, s := range shares {
		cells[i] = "-"
		for _, b := range row.Budgets {
			if b.Share != s {
				continue
			}
			cells[i] = fmt.Sprintf("%.2f", b.Reads.Reads)
			if b.Kernel != nil {
				cells[i] += fmt.Sprintf(" (%.2f)", b.Kernel.Reads)
			}
		}
	}
	return cells
}

// stateNotes explain the figures.
func stateNotes(p *printer, all []*record.State) {
	if all[0].Counted == record.CountedInside {
		p.prose("Cold: reads of files as the engines count them, with an empty page cache and the smallest caches of their own. Counting from outside needs root.")
	} else {
		p.prose("Cold: reads and KiB of one lookup, counted by the device of a private disk, with an empty page cache. The store's own caches are as small as possible, and dropped where that is not empty.")
	}
	if len(budgetShares(all)) > 0 {
		p.prose("Under a share: with a page cache of this share of the store's bytes, including its own smallest caches: by a simulated LRU of the pages that lookups read cold, and in brackets by the kernel, where reads go through its page cache.")
	}
	for _, r := range all {
		for _, c := range r.Store.Caches {
			if c.Stays && c.Least > 0 {
				p.prose(fmt.Sprintf("%s: its %s of %s cannot be dropped, which saves its cold lookups reads.", oneLine(r.Label), oneLine(c.Name), units.Size(int64(c.Least))))
			}
		}
	}
	p.prose("Claimed: reads or disk operations per value, as published for the design, with other data and counters.")
	p.prose(fmt.Sprintf("Memory: memory that belongs to no file, during lookups. Load: random keys, committed every %s and settled every %s, with caches of %s.",
		units.Comma(int64(all[0].Load.CommitKeys)), units.Comma(int64(all[0].Load.SettleKeys)), units.Size(all[0].Load.CacheBytes)))
}

func stateCosts(p *printer, group []*record.State) {
	g := &textTable{header: []string{"store", "version", "on disk\nB/key", "memory\nMiB", "memory\nB/key", "load\nkeys/s", "load CPU\nus/key", "proof\nbytes"}, left: []int{1}}
	for _, r := range group {
		keys := float64(r.Keys)
		memory, perKey, proof := "-", "-", "-"
		if r.AnonymousBytes > 0 {
			memory, perKey = fmt.Sprintf("%.0f", float64(r.AnonymousBytes)/(1<<20)), fmt.Sprintf("%.1f", float64(r.AnonymousBytes)/keys)
		}
		if row := r.Row(record.LookupsWithProof); row != nil && row.ProofBytes > 0 {
			proof = fmt.Sprintf("%.0f", row.ProofBytes)
		}
		g.add(oneLine(r.Label), shortened(oneLine(r.Store.Version), 24), fmt.Sprintf("%.0f", float64(r.DiskBytes)/keys), memory, perKey,
			units.Count(int64(keys/r.Load.Seconds)), fmt.Sprintf("%.1f", 1e6*r.Load.CPUSeconds/keys), proof)
	}
	p.table(g)
}

// stateGrowth writes how cold reads grow with the keys, for stores measured with several
// numbers of keys.
func stateGrowth(all []*record.State) *textTable {
	var labels []string
	var sizes []uint64
	of := map[string]map[uint64]float64{}
	for _, r := range all {
		row := r.Row(record.LookupsOfExisting)
		if row == nil {
			continue
		}
		if of[r.Label] == nil {
			of[r.Label] = map[uint64]float64{}
			labels = append(labels, r.Label)
		}
		of[r.Label][r.Keys] = row.Cold.Reads
		if !slices.Contains(sizes, r.Keys) {
			sizes = append(sizes, r.Keys)
		}
	}
	if len(sizes) < 2 {
		return nil
	}
	slices.Sort(sizes)
	g := &textTable{header: []string{"store"}}
	for _, n := range sizes {
		g.header = append(g.header, units.Count(int64(n)))
	}
	g.header = append(g.header, "per tenfold")
	for _, label := range labels {
		cells := []string{label}
		for _, n := range sizes {
			cells = append(cells, growthCell(of[label], n))
		}
		g.add(append(cells, perTenfold(of[label], sizes))...)
	}
	return g
}

func growthCell(reads map[uint64]float64, n uint64) string {
	if r, ok := reads[n]; ok {
		return fmt.Sprintf("%.2f", r)
	}
	return "-"
}

// perTenfold is how many more reads ten times the keys cost, between the smallest and the
// largest measured number.
func perTenfold(reads map[uint64]float64, sizes []uint64) string {
	var has []uint64
	for _, n := range sizes {
		if _, ok := reads[n]; ok {
			has = append(has, n)
		}
	}
	if len(has) < 2 {
		return "-"
	}
	from, to := has[0], has[len(has)-1]
	return fmt.Sprintf("%+.2f", (reads[to]-reads[from])/math.Log10(float64(to)/float64(from)))
}
