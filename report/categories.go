package report

import (
	"cmp"
	"io"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// Categories writes what a chaindata directory holds: a row for each category, the
// largest first, and the tables of the freezer.
func Categories(w io.Writer, r *record.Categories) error {
	p := newPrinter(w)
	p.text("categories", r)
	p.blank()
	categoryTable(p, r)
	p.text("counted keys", r)
	p.blank()
	freezerTable(p, r.Freezer)
	return p.flush()
}

// tally is a row of the table: a category, or all of them.
type tally struct {
	name string
	record.CategoryTally
}

func (t tally) bytes() int64 { return t.KeyBytes + t.ValueBytes }

func categoryTable(p *printer, r *record.Categories) {
	var tallies []tally
	for name, t := range r.Categories {
		tallies = append(tallies, tally{name, t})
	}
	slices.SortFunc(tallies, func(a, b tally) int { return cmp.Or(cmp.Compare(b.bytes(), a.bytes()), cmp.Compare(a.name, b.name)) })
	total, sampled, count := tally{"total", r.Total}, r.Sample != nil, units.Comma
	if sampled {
		count = units.Count
	}
	p.table(withTotal(tallies, total,
		col("category", func(t tally) string { return t.name }),
		col("keys", func(t tally) string { return count(t.Keys) }),
		col("±", func(t tally) string { return halfInterval(t.KeysHalfWidth(), t.Keys) }).when(sampled),
		col("key bytes", func(t tally) string { return units.Size(t.KeyBytes) }),
		col("value bytes", func(t tally) string { return units.Size(t.ValueBytes) }),
		col("±", func(t tally) string { return halfInterval(t.BytesHalfWidth(), t.bytes()) }).when(sampled),
		col("share", func(t tally) string { return units.PercentOf(t.bytes(), total.bytes()) }),
		col("per key", func(t tally) string {
			if t.Keys == 0 {
				return units.Absent
			}
			return units.MeanSize(float64(t.bytes()) / float64(t.Keys))
		})))
}

// halfInterval is half of the width of a 95% interval, as a share.
func halfInterval(half *float64, of int64) string {
	if half == nil || of == 0 {
		return units.Absent
	}
	return units.Percent(*half / float64(of))
}

func freezerTable(p *printer, tables []record.FreezerTable) {
	if len(tables) == 0 {
		p.text("no freezer", nil)
		return
	}
	p.table(newTable(tables,
		col("freezer", func(t record.FreezerTable) string { return orAbsent(t.Freezer) }),
		col("table", func(t record.FreezerTable) string { return t.Name }).left(),
		col("items", func(t record.FreezerTable) string { return units.Comma(t.Items) }),
		col("removed", func(t record.FreezerTable) string { return units.Comma(t.Removed) }),
		col("bytes", func(t record.FreezerTable) string { return units.Size(t.Bytes) })))
}
