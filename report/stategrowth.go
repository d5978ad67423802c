package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// grown is the runs of a store with different numbers of keys, by these.
type grown []*record.State

// stateGrowth writes how cold reads and memory grow with the keys, for stores measured with several
// numbers of keys.
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
type points []struct{ x, y float64 }

// reads are the reads of a cold lookup, by the logarithm of the number of keys.
func (runs grown) reads() (all points) {
	for _, r := range runs {
		if row := r.Row(record.LookupsOfExisting); row != nil {
			all = append(all, struct{ x, y float64 }{math.Log10(float64(r.Keys)), row.Cold.Reads})
		}
	}
	return all
}

// memory is the memory that was measured as in the first run: a line is drawn through such memory alone.
func (runs grown) memory() (all points) {
	for _, r := range runs {
		if r.AnonymousBytes > 0 && r.IncludesUnused() == runs[0].IncludesUnused() {
			all = append(all, struct{ x, y float64 }{float64(r.Keys), float64(r.AnonymousBytes)})
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
