package report

import (
	"fmt"
	"io"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// MDBX writes what an MDBX database says of its tables, the largest first.
func MDBX(w io.Writer, r *record.MDBX) error {
	var p printer
	bytes := func(pages int64) string { return units.Size(pages * r.PageBytes) }
	p.field("Directory", r.Path)
	p.field("Database", fmt.Sprintf("MDBX, format %d, pages of %s, transaction %d", r.Format, units.Size(r.PageBytes), r.Transaction))
	p.field("File", fmt.Sprintf("%s; %s in use, of which %s are free pages", units.Size(r.FileBytes), bytes(r.UsedPages), bytes(r.FreePages)))
	if n := r.UncountedPages; n != 0 {
		p.field("Lost", fmt.Sprintf("the trees and the free pages are %s pages off those in use: the database may be damaged", units.Comma(n)))
	}
	p.blank()
	if n := r.MainEntries; n != 0 {
		p.prose(fmt.Sprintf("The main table, which has no name and lists the others, holds %s of its own. They are not looked up.", units.Plural(int64(n), "entry")))
	}
	if len(r.Tables) == 0 {
		p.prose("The database has no named tables.")
		return p.writeTo(w)
	}
	p.table(mdbxTables(r))
	p.blank()
	p.prose("A lookup reads one page per level of its table's tree, as far as the page cache does not hold them: the upper levels are small. A value on large pages is read in addition, and so is the tree of a key that has many values (dupsort).")
	return p.writeTo(w)
}

func mdbxTables(r *record.MDBX) *textTable {
	g := &textTable{header: []string{"table", "", "entries", "depth", "branch\npages", "leaf\npages", "large\npages", "size", "bytes\n/entry"}, left: []int{0, 1}, spare: []int{4, 6, 8, 5}}
	tables := slices.Clone(r.Tables)
	slices.SortStableFunc(tables, func(a, b record.MDBXTable) int { return int(b.Pages() - a.Pages()) })
	for _, t := range tables {
		kind, each := "", units.Absent
		if t.DupSort {
			kind = "dupsort"
		}
		if t.Entries > 0 {
			each = fmt.Sprintf("%.0f", float64(t.Pages()*r.PageBytes)/float64(t.Entries))
		}
		g.add(t.Name, kind, units.Comma(int64(t.Entries)), fmt.Sprint(t.Depth), units.Comma(t.BranchPages), units.Comma(t.LeafPages), units.Comma(t.LargePages), units.Size(t.Pages()*r.PageBytes), each)
	}
	return g
}
