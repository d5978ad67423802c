package lsm

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// L0Table is an L0 table and its largest sequence number.
type L0Table struct {
	Table
	Newest uint64
	// Exclusive means that Largest is the exclusive end of a range deletion, so that the
	// table does not contain it.
	Exclusive bool
}

// AssignSublevels assigns sublevels to L0 tables as Pebble does. From the oldest table to the
// newest, each goes one sublevel above the highest table that it overlaps. A Get visits at most one
// table per sublevel. (Pebble's internal/manifest/l0_sublevels.go works on the intervals between
// table bounds, so two tables overlap if their key ranges do.)
func AssignSublevels(l0 []L0Table) []Table {
	sorted := append([]L0Table(nil), l0...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Newest < sorted[j].Newest })
	out := make([]Table, 0, len(sorted))
	for i := range sorted {
		t := &sorted[i]
		t.Sublevel = 0
		for j := range i {
			if below := &sorted[j]; below.Sublevel >= t.Sublevel && overlap(below, t) {
				t.Sublevel = below.Sublevel + 1
			}
		}
		out = append(out, t.Table)
	}
	return out
}

func overlap(a, b *L0Table) bool { return a.reaches(b.Smallest) && b.reaches(a.Smallest) }

// reaches reports whether the table ends at or after the key.
func (a *L0Table) reaches(key Key) bool {
	c := bytes.Compare(key, a.Largest)
	return c < 0 || c == 0 && !a.Exclusive
}

// Runs returns the sorted runs that the level's tables form, the oldest first and each in the order of keys. L0, whose
// tables a shape lists by age, has one for each sublevel.
func (l *Level) Runs() (runs [][]Table) {
	list := slices.Clone(l.TableList)
	slices.SortStableFunc(list, func(a, b Table) int {
		return cmp.Or(cmp.Compare(a.Sublevel, b.Sublevel), bytes.Compare(a.Smallest, b.Smallest))
	})
	for i, t := range list {
		if i == 0 || t.Sublevel != list[i-1].Sublevel {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], t)
	}
	return runs
}
