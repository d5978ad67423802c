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
	p := newPrinter(w)
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
		return p.flush()
	}
	tables := slices.Clone(r.Tables)
	slices.SortStableFunc(tables, func(a, b record.MDBXTable) int { return int(b.Pages() - a.Pages()) })
	p.table(newTable(tables,
		col("table", func(t record.MDBXTable) string { return t.Name }),
		col("", func(t record.MDBXTable) string { return ifAny(t.DupSort, "dupsort") }).left(),
		col("entries", func(t record.MDBXTable) string { return units.Comma(int64(t.Entries)) }),
		col("depth", func(t record.MDBXTable) string { return fmt.Sprint(t.Depth) }),
		col("branch\npages", func(t record.MDBXTable) string { return units.Comma(t.BranchPages) }).spareAs(1),
		col("leaf\npages", func(t record.MDBXTable) string { return units.Comma(t.LeafPages) }).spareAs(4),
		col("large\npages", func(t record.MDBXTable) string { return units.Comma(t.LargePages) }).spareAs(2),
		col("size", func(t record.MDBXTable) string { return bytes(t.Pages()) }),
		col("bytes\n/entry", func(t record.MDBXTable) string {
			return ratio(float64(t.Pages()*r.PageBytes), float64(t.Entries), whole)
		}).spareAs(3)))
	p.blank()
	p.prose("A lookup reads one page per level of its table's tree, as far as the page cache does not hold them: the upper levels are small. A value on large pages is read in addition, and so is the tree of a key that has many values (dupsort).")
	return p.flush()
}
