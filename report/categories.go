package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// Categories writes what a chaindata directory holds: a row for each category, the
// largest first, and the tables of the freezer.
func Categories(w io.Writer, r *record.Categories) error {
	p := newPrinter(w)
	p.field("Directory", r.Path)
	p.field("Engine", engineText(r.Engine))
	p.field("State", schemeText(r.Scheme))
	if r.WAL.Keys > 0 {
		p.field("Unflushed", units.Plural(r.WAL.Keys, "record")+" in the write-ahead log, not in a table yet; counted below")
	}
	p.blank()
	categoryTable(p, r)
	if r.Sample != nil {
		p.prose(fmt.Sprintf("Estimated from %s of %s ranges of keys (seed %d); ± is the 95%% interval. --exact counts every key.",
			units.Comma(r.Sample.Ranges), units.Comma(r.Sample.Of), r.Sample.Seed))
	} else {
		p.prose("Every key was counted.")
	}
	p.blank()
	freezerTable(p, r.Freezer)
	return p.flush()
}

func schemeText(scheme string) string {
	switch scheme {
	case "path", "hash":
		return "nodes of tries under the " + scheme + " scheme"
	case "both":
		return "nodes of tries under both the path and the hash scheme"
	}
	return "no nodes of tries"
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
		p.prose("There is no freezer beside the database. If the client keeps it elsewhere, name its directory with --ancient.")
		return
	}
	p.table(newTable(tables,
		col("freezer", func(t record.FreezerTable) string { return orAbsent(t.Freezer) }),
		col("table", func(t record.FreezerTable) string { return t.Name }).left(),
		col("items", func(t record.FreezerTable) string { return units.Comma(t.Items) }),
		col("removed", func(t record.FreezerTable) string { return units.Comma(t.Removed) }),
		col("bytes", func(t record.FreezerTable) string { return units.Size(t.Bytes) })))
}
