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
	var p printer
	p.field("Directory", r.Path)
	p.field("Engine", engineText(r.Engine))
	p.field("State", schemeText(r.Scheme))
	if r.WAL.Keys > 0 {
		p.field("Unflushed", units.Plural(r.WAL.Keys, "record")+" in the write-ahead log, not in a table yet; counted below")
	}
	p.blank()
	categoryTable(&p, r)
	if r.Sample != nil {
		p.prose(fmt.Sprintf("Estimated from %s of %s ranges of keys (seed %d); ± is the 95%% interval. --exact counts every key.",
			units.Comma(r.Sample.Ranges), units.Comma(r.Sample.Of), r.Sample.Seed))
	} else {
		p.prose("Every key was counted.")
	}
	p.blank()
	freezerTable(&p, r.Freezer)
	return p.writeTo(w)
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

func categoryTable(p *printer, r *record.Categories) {
	names := make([]string, 0, len(r.Categories))
	for name := range r.Categories {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(bytesOfCategory(r.Categories[b]), bytesOfCategory(r.Categories[a])), cmp.Compare(a, b))
	})
	g := textTable{header: []string{"category", "keys", "key bytes", "value bytes", "share", "per key"}}
	if r.Sample != nil {
		g.header = []string{"category", "keys", "±", "key bytes", "value bytes", "±", "share", "per key"}
	}
	for _, name := range names {
		g.add(categoryCells(name, r.Categories[name], r)...)
	}
	g.footer = categoryCells("total", r.Total, r)
	p.table(&g)
}

func bytesOfCategory(t record.CategoryTally) int64 { return t.KeyBytes + t.ValueBytes }

func categoryCells(name string, t record.CategoryTally, r *record.Categories) []string {
	perKey := units.Absent
	if t.Keys > 0 {
		perKey = units.MeanSize(float64(bytesOfCategory(t)) / float64(t.Keys))
	}
	share := units.PercentOf(bytesOfCategory(t), bytesOfCategory(r.Total))
	if r.Sample == nil {
		return []string{name, units.Comma(t.Keys), units.Size(t.KeyBytes), units.Size(t.ValueBytes), share, perKey}
	}
	return []string{name, units.Count(t.Keys), halfInterval(t.KeysHalfWidth(), t.Keys), units.Size(t.KeyBytes), units.Size(t.ValueBytes),
		halfInterval(t.BytesHalfWidth(), bytesOfCategory(t)), share, perKey}
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
	g := textTable{header: []string{"freezer", "table", "items", "removed", "bytes"}, left: []int{1}}
	for _, t := range tables {
		g.add(orAbsent(t.Freezer), t.Name, units.Comma(t.Items), units.Comma(t.Removed), units.Size(t.Bytes))
	}
	p.table(&g)
}
