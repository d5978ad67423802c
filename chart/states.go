package chart

import (
	"slices"

	"getio/quantity"
	"getio/record"
	"getio/study"
)

// stores are what lookups in stores of states read, over how much of each store is kept
// as page cache: a line for each store and number of keys that this was measured of.
func stores(s *study.Study) Chart {
	c := Chart{
		Name: "stores", Title: "Reads of lookups in stores of states",
		Note: "Lookups of keys that exist: at 0% with nothing in the page cache; beyond, with so much of the store's bytes as page cache, by an LRU simulated of the pages that cold lookups read.",
		X:    Axis{Label: "page cache, of the store's bytes", Unit: ShareOfStore},
		Y:    Axis{Label: "reads per lookup", Unit: ReadsPerLookup},
	}
	labels, sizes := storesOf(s)
	for _, r := range believed(s) {
		row := r.Row(record.LookupsOfExisting)
		if len(row.Budgets) == 0 {
			continue // storesByKeys has its one figure
		}
		line := Line{Name: r.Label, Kind: Measured, Colour: slices.Index(labels, r.Label)}
		if len(sizes) > 1 {
			line.Name += ", " + quantity.Count(int64(r.Keys)) + " keys"
		}
		line.Points = append(line.Points, cold(row))
		for _, b := range row.Budgets {
			line.Points = append(line.Points, Point{X: b.Share, Y: b.Reads.Reads})
		}
		c.line(line)
	}
	return c
}

// storesByKeys are what cold lookups read, over the number of keys.
func storesByKeys(s *study.Study) Chart {
	c := Chart{
		Name: "stores-keys", Title: "Reads of cold lookups in stores of states by keys",
		Note: "Lookups of keys that exist, with nothing in the page cache. Bands are 95% confidence intervals.",
		X:    Axis{Label: "keys", Unit: Keys, Log: true},
		Y:    Axis{Label: "reads per lookup", Unit: ReadsPerLookup},
	}
	labels, _ := storesOf(s)
	for i, label := range labels {
		line := Line{Name: label, Kind: Measured, Colour: i}
		for _, r := range believed(s) {
			if r.Label == label {
				p := cold(r.Row(record.LookupsOfExisting))
				p.X = float64(r.Keys)
				line.Points = append(line.Points, p)
			}
		}
		slices.SortStableFunc(line.Points, func(a, b Point) int { return int(a.X - b.X) })
		c.line(line)
	}
	return c
}

// believed are the records that count, with lookups of keys that exist.
func believed(s *study.Study) []*record.State {
	return slices.DeleteFunc(slices.Clone(s.States), func(r *record.State) bool {
		return !r.Checks.Hold() || r.Row(record.LookupsOfExisting) == nil
	})
}

// storesOf are the labels and the numbers of keys of the records that count.
func storesOf(s *study.Study) (labels []string, sizes []uint64) {
	for _, r := range believed(s) {
		if !slices.Contains(labels, r.Label) {
			labels = append(labels, r.Label)
		}
		if !slices.Contains(sizes, r.Keys) {
			sizes = append(sizes, r.Keys)
		}
	}
	return labels, sizes
}

func cold(row *record.StateRow) Point {
	p := Point{Y: row.Cold.Reads}
	if ci := row.Cold.CI95; ci > 0 {
		low, high := p.Y-ci, p.Y+ci
		p.Low, p.High = &low, &high
	}
	return p
}
