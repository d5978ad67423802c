package lsm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"sort"
)

// Key is a user key; as text it is lower-case hexadecimal.
type Key []byte

// MarshalText implements encoding.TextMarshaler.
func (k Key) MarshalText() ([]byte, error) {
	return hex.AppendEncode(nil, k), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Key) UnmarshalText(text []byte) error {
	b, err := hex.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("key %q is not hexadecimal: %w", text, err)
	}
	*k = b
	return nil
}

// Aged is an L0 table together with the newest sequence number it holds.
type Aged struct {
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
func AssignSublevels(l0 []Aged) []Table {
	sorted := append([]Aged(nil), l0...)
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

func overlap(a, b *Aged) bool { return a.reaches(b.Smallest) && b.reaches(a.Smallest) }

// reaches tells whether the key is not behind the table.
func (a *Aged) reaches(key Key) bool {
	c := bytes.Compare(key, a.Largest)
	return c < 0 || c == 0 && !a.Exclusive
}
