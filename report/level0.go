package report

import (
	"fmt"
	"io"

	"getio/numbers/units"
	"getio/record"
)

// level0Columns are the printed operations and the heads of their columns.
var level0Columns = []struct{ name, head string }{
	{record.L0OldBlock, "getBlock\nold"}, {record.L0RecentBlock, "getBlock\nrecent"},
	{record.L0OldTx, "getTx\nold"}, {record.L0RecentTx, "getTx\nrecent"}, {record.L0Get, "any\nkey"},
}

// Level0 writes the cost of growing numbers of L0 tables, a table for each cache, and
// where it rises.
func Level0(w io.Writer, results []*record.Level0) error {
	p := newPrinter(w)
	for i, r := range results {
		if i == 0 {
			p.text("level0", r)
		}
		p.text("level0 cache", r)
		level0Table(p, r)
	}
	p.text("level0 notes", map[string]any{"Widest": level0Spread(results)})
	return p.flush()
}

// level0Spread returns the widest 95% interval of figures of a read or more, as a share; nil if there are none.
func level0Spread(results []*record.Level0) (widest *float64) {
	for _, r := range results {
		for _, row := range r.Rows {
			if !row.Checks.Hold() {
				continue
			}
			for _, o := range row.Operations {
				if ci := o.Reads.CI95; ci != nil && o.Reads.Mean >= 1 {
					half := (ci[1] - ci[0]) / 2 / o.Reads.Mean
					if widest == nil || half > *widest {
						widest = &half
					}
				}
			}
		}
	}
	return widest
}

func level0Table(p *printer, r *record.Level0) {
	hold := func(row *record.Level0Row) bool { return row.Checks.Hold() }
	tables, operation := colIf(hold, units.Absent), colIf(hold, "FAILED")
	columns := []column[*record.Level0Row]{
		col("L0\ntables", func(row *record.Level0Row) string { return units.Comma(row.Tables) }),
		tables("sub-\nlevels", func(row *record.Level0Row) string { return units.Comma(row.Sublevels) }),
		tables("their index\nand filters", func(row *record.Level0Row) string { return units.Size(row.IndexBytes + row.FilterBytes) }),
	}
	for _, c := range level0Columns {
		columns = append(columns, operation(c.head, func(row *record.Level0Row) string { return level0Cell(row, c.name) }))
	}
	p.table(newTable(r.Rows, columns...))
	if r.Hold() {
		p.text("cliff", r.Cliff)
	}
	for _, row := range r.Rows {
		p.failed(units.Comma(row.Tables)+" tables: ", row.Checks)
	}
}

// level0Cell is reads and KiB of an operation.
func level0Cell(row *record.Level0Row, name string) string {
	o, made := row.Operations[name]
	switch {
	case !made:
		return units.Absent
	case o.Reads.Mean >= 100:
		return whole(o.Reads.Mean) + " " + units.ThreeDigits(o.BytesRead/1024)
	}
	return fmt.Sprintf("%.2f %s", o.Reads.Mean, units.ThreeDigits(o.BytesRead/1024))
}
