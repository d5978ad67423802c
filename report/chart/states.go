package chart

import (
	"cmp"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// stores charts the reads of lookups in state databases over all memory that they have, with a
// line for each store and number of keys.
func stores(s *study.Study) Chart {
	c := Chart{
		Name: "stores", Title: "Reads of lookups in state databases",
		Note: "Lookups of existing keys. A line begins with the store's own memory and an empty page cache; beyond, it has page cache too, by a simulated LRU of the pages that cold lookups read." + elsewhereNote(s),
		X:    Axis{Label: "memory and page cache, bytes per key", Unit: MemoryPerKey, Log: true},
		Y:    Axis{Label: "reads per lookup", Unit: ReadsPerLookup},
	}
	taken, groups := colours{}, groupsWith(s, drawnOverMemory)
	for _, group := range groups {
		several := severalSizes(group)
		for _, r := range group.Runs {
			row := r.Row(record.LookupsOfExisting)
			line := Line{Name: r.MarkedLabel(), Kind: Measured, Colour: taken.next(r.Label), Points: []Point{coldPoint(row, float64(r.AnonymousBytes)/float64(r.Keys))}}
			line.Name += units.If(several, ", "+units.Count(int64(r.Keys))+" keys")
			line.Name = named(line.Name, units.If(len(groups) > 1, group.Name))
			for _, b := range row.Budgets {
				if b.LRU != nil {
					line.Points = append(line.Points, Point{X: float64(r.TotalBytes(b)) / float64(r.Keys), Y: b.LRU.Reads})
				}
			}
			slices.SortStableFunc(line.Points, byX)
			c.line(line)
		}
	}
	return c
}

// severalSizes reports whether stores were measured with several numbers of keys.
func severalSizes(g *study.Group[record.State]) bool {
	return slices.ContainsFunc(g.Runs, func(r *record.State) bool { return r.Keys != g.Runs[0].Keys })
}

// drawnOverMemory reports whether a record has a line over memory. Others have one figure, which storesByKeys draws.
func drawnOverMemory(r *record.State) bool {
	return len(r.Row(record.LookupsOfExisting).Budgets) > 0 && r.AnonymousBytes > 0
}

// storesByKeys charts the reads of cold lookups over the number of keys, with a line for
// each store. Groups with one number of keys are drawn over memory, if they can be.
func storesByKeys(s *study.Study) Chart {
	c := Chart{
		Name: "stores-keys", Title: "Reads of cold lookups in state databases by keys",
		Note: "Lookups of existing keys, with an empty page cache. Bands are 95% confidence intervals." + elsewhereNote(s),
		X:    Axis{Label: "keys", Unit: Keys, Log: true},
		Y:    Axis{Label: "reads per lookup", Unit: ReadsPerLookup},
	}
	taken, groups := colours{}, groupsWith(s, func(*record.State) bool { return true })
	groups = slices.DeleteFunc(groups, func(g *study.Group[record.State]) bool {
		return !severalSizes(g) && slices.ContainsFunc(g.Runs, drawnOverMemory)
	})
	for _, group := range groups {
		for _, runs := range study.GroupBy(group.Runs, func(r *record.State) any { return r.Label }) {
			name := named(runs[0].MarkedLabel(), units.If(len(groups) > 1, group.Name))
			line := Line{Name: name, Kind: Measured, Colour: taken.next(runs[0].Label)}
			for _, r := range runs {
				line.Points = append(line.Points, coldPoint(r.Row(record.LookupsOfExisting), float64(r.Keys)))
			}
			slices.SortStableFunc(line.Points, byX)
			c.line(line)
		}
	}
	return c
}

// colours gives each label a colour of its own.
type colours map[string]int

func (p colours) next(label string) int {
	if _, known := p[label]; !known {
		p[label] = len(p)
	}
	return p[label]
}

// groupsWith are the groups of stores whose self-checks held and that have lookups of existing keys,
// without those that are not drawn.
func groupsWith(s *study.Study, drawn func(*record.State) bool) (groups []*study.Group[record.State]) {
	for _, group := range s.Stores {
		runs := slices.DeleteFunc(slices.Clone(group.Runs), func(r *record.State) bool {
			return !r.Checks.Hold() || r.Row(record.LookupsOfExisting) == nil || !drawn(r)
		})
		if len(runs) > 0 {
			groups = append(groups, &study.Group[record.State]{Name: group.Name, Runs: runs})
		}
	}
	return groups
}

func byX(a, b Point) int { return cmp.Compare(a.X, b.X) }

func coldPoint(row *record.StateRow, x float64) Point {
	p := Point{X: x, Y: row.Cold.Reads}
	if ci := row.Cold.CI95; ci != nil {
		p.Low, p.High = &ci[0], &ci[1]
	}
	return p
}

// elsewhereNote explains the mark of stores that were measured elsewhere, if there are any.
func elsewhereNote(s *study.Study) string {
	elsewhere := slices.ContainsFunc(s.Stores, func(group *study.Group[record.State]) bool {
		return slices.ContainsFunc(group.Runs, func(r *record.State) bool { return r.Provenance != nil })
	})
	return units.If(elsewhere, " †: measured elsewhere, with an adapter that is not in getio's repository.")
}
