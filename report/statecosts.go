package report

import (
	"fmt"
	"math"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

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
			if row := r.Row(record.LookupsWithProof); row != nil && row.ProofBytes > 0 {
				return whole(row.ProofBytes)
			}
			return units.Absent
		})))
	noteUnused(p, group)
}

// memoryOf is the memory of a store in MiB, marked if it includes unused memory.
func memoryOf(r *record.State) string {
	if r.AnonymousBytes <= 0 {
		return units.Absent
	}
	mark := ""
	if r.IncludesUnused() {
		mark = "*"
	}
	return fmt.Sprintf("%.1f%s", float64(r.AnonymousBytes)/(1<<20), mark)
}

// noteUnused explains the mark of memoryOf, if a record of a group has it.
func noteUnused(p *printer, group []*record.State) {
	if slices.ContainsFunc(group, func(r *record.State) bool { return r.AnonymousBytes > 0 && r.IncludesUnused() }) {
		p.text("unused memory", nil)
	}
}

// amplification is the bytes written for each byte of keys and values of a share of the keys.
func amplification(r *record.State, l record.StateLoad, share float64) string {
	if l.WrittenBytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(l.WrittenBytes)/(share*float64(r.Keys)*float64(r.KeySize+r.ValueSize)))
}

// stateWear writes what lookups cost after shares of the keys were overwritten, if any were.
func stateWear(p *printer, group []*record.State) {
	var shares []float64
	for _, r := range group {
		for _, w := range r.Worn {
			if !slices.Contains(shares, w.Share) {
				shares = append(shares, w.Share)
			}
		}
	}
	if len(shares) == 0 {
		return
	}
	slices.Sort(shares)
	var rows []lookupRow
	for _, r := range group {
		for i, row := range r.Rows {
			if len(r.Worn) > 0 {
				rows = append(rows, lookupRow{r, i, row, ""})
			}
		}
	}
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
		costs := func(of func(l lookupRow, worn *record.StateWorn, before float64) string) func(lookupRow) string {
			return func(l lookupRow) string {
				worn, before := l.wornTo(share)
				if l.nth > 0 || worn == nil || len(worn.Rows) == 0 {
					return ""
				}
				return of(l, worn, before)
			}
		}
		columns = append(columns,
			col(fmt.Sprintf("at %g%%\nB/key", 100*share), costs(func(l lookupRow, worn *record.StateWorn, _ float64) string {
				return whole(float64(worn.DiskBytes) / float64(l.of.Keys))
			})),
			col("written\nper byte", costs(func(l lookupRow, worn *record.StateWorn, before float64) string {
				return amplification(l.of, worn.Load, share-before)
			})).spareAs(nth+1))
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

// stateGrowth writes how cold reads and memory grow with the keys, for stores measured with several
// numbers of keys.
func stateGrowth(p *printer, all []*record.State) {
	for _, group := range study.ComparableStates(all) {
		sizes := sizesOf(group)
		if len(sizes) < 2 {
			continue
		}
		stores := study.GroupBy(group, func(r *record.State) any { return r.Label })
		p.text("growth of reads", nil)
		p.table(newTable(stores, growthColumns(sizes, coldReads, col("per tenfold", func(runs []*record.State) string {
			if _, slope, ok := lineThrough(points(runs, sizes, readsPoint)); ok {
				return fmt.Sprintf("%+.2f", slope)
			}
			return units.Absent
		}))...))
		growthOfMemory(p, group, stores, sizes)
	}
}

func growthOfMemory(p *printer, group []*record.State, stores [][]*record.State, sizes []uint64) {
	line := func(runs []*record.State) (fixed, perKey float64, ok bool) {
		return lineThrough(points(runs, sizes, memoryPoint(runs[0])))
	}
	stores = slices.DeleteFunc(stores, func(runs []*record.State) bool { _, _, ok := line(runs); return !ok })
	if len(stores) == 0 {
		return
	}
	p.text("growth of memory", nil)
	p.table(newTable(stores, growthColumns(sizes, memoryOf,
		col("fixed", func(runs []*record.State) string {
			fixed, _, _ := line(runs)
			return fmt.Sprintf("%.1f", fixed/(1<<20))
		}),
		col("B/key", func(runs []*record.State) string { _, perKey, _ := line(runs); return fmt.Sprintf("%.1f", perKey) }),
		col("predicted", func(runs []*record.State) string { return predictedMemory(points(runs, sizes, memoryPoint(runs[0]))) }).when(len(sizes) > 2))...))
	noteUnused(p, group)
	if len(sizes) > 2 {
		p.text("predicted memory", nil)
	}
}

// growthColumns are a figure of a store, whose runs have different numbers of keys, by number, and what follows from them.
func growthColumns(sizes []uint64, of func(*record.State) string, more ...column[[]*record.State]) []column[[]*record.State] {
	columns := []column[[]*record.State]{col("store", func(runs []*record.State) string { return storeName(runs[0]) })}
	for _, n := range sizes {
		columns = append(columns, col(units.Count(int64(n)), func(runs []*record.State) string {
			if r := runOf(runs, n); r != nil {
				return of(r)
			}
			return units.Absent
		}))
	}
	return append(columns, more...)
}

func runOf(runs []*record.State, keys uint64) *record.State {
	if i := slices.IndexFunc(runs, func(r *record.State) bool { return r.Keys == keys }); i >= 0 {
		return runs[i]
	}
	return nil
}

func coldReads(r *record.State) string {
	if row := r.Row(record.LookupsOfExisting); row != nil {
		return fmt.Sprintf("%.2f", row.Cold.Reads)
	}
	return units.Absent
}

func readsPoint(r *record.State) (point, bool) {
	row := r.Row(record.LookupsOfExisting)
	if row == nil {
		return point{}, false
	}
	return point{math.Log10(float64(r.Keys)), row.Cold.Reads}, true
}

// memoryPoint takes memory that was measured as in the first run: a line is drawn through such memory alone.
func memoryPoint(first *record.State) func(*record.State) (point, bool) {
	return func(r *record.State) (point, bool) {
		return point{float64(r.Keys), float64(r.AnonymousBytes)}, r.AnonymousBytes > 0 && r.IncludesUnused() == first.IncludesUnused()
	}
}

// points are those of a store's runs, by number of keys.
func points(runs []*record.State, sizes []uint64, of func(*record.State) (point, bool)) (all []point) {
	for _, n := range sizes {
		if r := runOf(runs, n); r != nil {
			if p, ok := of(r); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// sizesOf are the numbers of keys that stores were measured with.
func sizesOf(group []*record.State) (sizes []uint64) {
	for _, r := range group {
		if r.Row(record.LookupsOfExisting) != nil && !slices.Contains(sizes, r.Keys) {
			sizes = append(sizes, r.Keys)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// predictedMemory is the memory at the last point on the line through the points before it, and how
// far that is from the last point.
func predictedMemory(points []point) string {
	n := len(points) - 1
	fixed, perKey, ok := lineThrough(points[:n])
	if !ok {
		return "-"
	}
	last := points[n]
	predicted := fixed + perKey*last.x
	return fmt.Sprintf("%.1f (%+.0f%%)", predicted/(1<<20), 100*(predicted/last.y-1))
}

type point struct{ x, y float64 }

// lineThrough is the line through the first and the last of at least two points: its value at 0,
// and its slope.
func lineThrough(points []point) (at0, slope float64, ok bool) {
	if len(points) < 2 {
		return 0, 0, false
	}
	from, to := points[0], points[len(points)-1]
	slope = (to.y - from.y) / (to.x - from.x)
	return from.y - slope*from.x, slope, true
}
