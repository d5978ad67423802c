package report

import (
	"fmt"
	"io"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// mdbxText is the data of the text: the record, and bytes of its pages.
type mdbxText struct {
	*record.MDBX
	Used, Free int64
}

// MDBX writes what an MDBX database says of its tables, the largest first.
func MDBX(w io.Writer, r *record.MDBX) error {
	p := newPrinter(w)
	bytes := func(pages int64) string { return units.Size(pages * r.PageBytes) }
	p.text("mdbx", mdbxText{r, r.UsedPages * r.PageBytes, r.FreePages * r.PageBytes})
	if len(r.Tables) == 0 {
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
	p.text("mdbx lookups", nil)
	return p.flush()
}
