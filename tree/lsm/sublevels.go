package lsm

import (
	"bytes"
	"sort"
)

// L0Table is an L0 table together with the newest sequence number it holds.
type L0Table struct {
	Table
	Newest uint64
	// Exclusive says that the table's Largest is the end of a deleted range,
	// which is not in the table itself.
	Exclusive bool
}

// AssignSublevels orders L0 tables into sublevels as Pebble does: from the
// oldest table up, each goes one sublevel above the highest table that it
// overlaps. A Get visits at most one table of a sublevel. (Pebble:
// internal/manifest/l0_sublevels.go; it works on the intervals between table
// bounds, so that two tables overlap when they share any key range.)
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

// reaches tells whether the key is not behind the table.
func (a *L0Table) reaches(key Key) bool {
	c := bytes.Compare(key, a.Largest)
	return c < 0 || c == 0 && !a.Exclusive
}
