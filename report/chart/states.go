package chart

import (
	"cmp"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// stores charts the reads of lookups in state databases over the share of page cache,
// with a line for each store and number of keys.
func stores(s *study.Study) Chart {
	c := Chart{
		Name: "stores", Title: "Reads of lookups in state databases",
		Note: "Lookups of existing keys: at 0% with an empty page cache; beyond, with a page cache of this share of the store's bytes, by a simulated LRU of the pages that cold lookups read.",
		X:    Axis{Label: "page cache, of the store's bytes", Unit: ShareOfStore},
		Y:    Axis{Label: "reads per lookup", Unit: ReadsPerLookup},
	}
	taken := colours{}
	for _, group := range s.Stores {
		keys := map[uint64]bool{}
		for _, r := range believed(group) {
			keys[r.Keys] = true
		}
		for _, r := range believed(group) {
			row := r.Row(record.LookupsOfExisting)
			if len(row.Budgets) == 0 {
				continue // storesByKeys has its one figure
			}
			line := Line{Name: r.Label, Kind: Measured, Colour: taken.next(r.Label), Points: []Point{cold(row)}}
			if len(keys) > 1 {
				line.Name += ", " + units.Count(int64(r.Keys)) + " keys"
			}
			line.Name = named(line.Name, group.Name)
			for _, b := range row.Budgets {
				line.Points = append(line.Points, Point{X: b.Share, Y: b.Reads.Reads})
			}
			slices.SortStableFunc(line.Points, byX)
			c.line(line)
		}
	}
	return c
}

// storesByKeys charts the reads of cold lookups over the number of keys, with a line for
// each store.
func storesByKeys(s *study.Study) Chart {
	c := Chart{
		Name: "stores-keys", Title: "Reads of cold lookups in state databases by keys",
		Note: "Lookups of existing keys, with an empty page cache. Bands are 95% confidence intervals.",
		X:    Axis{Label: "keys", Unit: Keys, Log: true},
		Y:    Axis{Label: "reads per lookup", Unit: ReadsPerLookup},
	}
	taken := colours{}
	for _, group := range s.Stores {
		lines := map[string]*Line{}
		var order []*Line
		for _, r := range believed(group) {
			if lines[r.Label] == nil {
				lines[r.Label] = &Line{Name: named(r.Label, group.Name), Kind: Measured, Colour: taken.next(r.Label)}
				order = append(order, lines[r.Label])
			}
			p := cold(r.Row(record.LookupsOfExisting))
			p.X = float64(r.Keys)
			lines[r.Label].Points = append(lines[r.Label].Points, p)
		}
		for _, line := range order {
			slices.SortStableFunc(line.Points, byX)
			c.line(*line)
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

// believed returns the records whose self-checks held and that have lookups of existing keys.
func believed(group *study.Stores) []*record.State {
	return slices.DeleteFunc(slices.Clone(group.Runs), func(r *record.State) bool {
		return !r.Checks.Hold() || r.Row(record.LookupsOfExisting) == nil
	})
}

func byX(a, b Point) int { return cmp.Compare(a.X, b.X) }

func cold(row *record.StateRow) Point {
	p := Point{Y: row.Cold.Reads}
	if ci := row.Cold.CI95; ci != nil {
		p.Low, p.High = &ci[0], &ci[1]
	}
	return p
}
