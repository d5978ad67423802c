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
			p.field("Chain", r.Path)
			p.field("Engine", engineText(r.Engine))
			p.field("Operations", fmt.Sprintf("%s after %s to warm up, each, from an empty cache (seed %d)",
				units.Plural(r.Workload.Operations, "operation"), units.Comma(r.Workload.WarmupOperations), r.Workload.Seed))
		}
		p.blank()
		level0Table(p, r)
	}
	if spread := level0Spread(results); spread != "" {
		p.prose(spread)
	}
	p.prose("Old blocks lie below L0, recent ones in it; any key is one of the tables' keys. Figures are reads of table files per operation, then KiB.")
	return p.flush()
}

// level0Spread gives the widest 95% interval of figures of a read or more; "" if there are none.
func level0Spread(results []*record.Level0) string {
	widest, known := 0.0, false
	for _, r := range results {
		for _, row := range r.Rows {
			if !row.Checks.Hold() {
				continue
			}
			for _, o := range row.Operations {
				if ci := o.Reads.CI95; ci != nil && o.Reads.Mean >= 1 {
					known = true
					widest = max(widest, (ci[1]-ci[0])/2/o.Reads.Mean)
				}
			}
		}
	}
	if !known {
		return ""
	}
	return fmt.Sprintf("95%% intervals are up to ±%s of figures of a read or more; so few operations do not show whether they are steady.", units.Percent(widest))
}

func level0Table(p *printer, r *record.Level0) {
	filters := "with filters"
	if !r.Filters {
		filters = "without filters"
	}
	p.line(fmt.Sprintf("Cache of %s, %s", units.Size(r.Cache.Bytes), filters))
	tables := func(name string, of func(*record.Level0Row) string) column[*record.Level0Row] {
		return col(name, func(row *record.Level0Row) string {
			if !row.Checks.Hold() {
				return units.Absent
			}
			return of(row)
		})
	}
	columns := []column[*record.Level0Row]{
		col("L0\ntables", func(row *record.Level0Row) string { return units.Comma(row.Tables) }),
		tables("sub-\nlevels", func(row *record.Level0Row) string { return units.Comma(row.Sublevels) }),
		tables("their index\nand filters", func(row *record.Level0Row) string { return units.Size(row.IndexBytes + row.FilterBytes) }),
	}
	for _, c := range level0Columns {
		columns = append(columns, col(c.head, func(row *record.Level0Row) string { return level0Cell(row, c.name) }))
	}
	p.table(newTable(r.Rows, columns...))
	if r.Hold() {
		p.prose(cliffText(r))
	}
	for _, row := range r.Rows {
		p.failed(units.Comma(row.Tables)+" tables: ", row.Checks)
	}
}

// level0Cell is reads and KiB of an operation.
func level0Cell(row *record.Level0Row, name string) string {
	o, made := row.Operations[name]
	switch {
	case !row.Checks.Hold():
		return "FAILED"
	case !made:
		return units.Absent
	case o.Reads.Mean >= 100:
		return whole(o.Reads.Mean) + " " + units.ThreeDigits(o.BytesRead/1024)
	}
	return fmt.Sprintf("%.2f %s", o.Reads.Mean, units.ThreeDigits(o.BytesRead/1024))
}

// cliffText says where the cost rises, as predicted and as measured.
func cliffText(r *record.Level0) string {
	c := r.Cliff
	if c.Most == 0 {
		return "There is no table in L0."
	}
	text := fmt.Sprintf("The cliff, from which most accesses to indexes of L0 are reads: predicted %s, measured %s",
		cliffPlace(c.Predicted, c.MostPredicted), cliffPlace(c.Measured, c.Most))
	if c.Predicted > 0 && c.Measured > 0 {
		text += fmt.Sprintf(" (%+.0f%%)", 100*(float64(c.Predicted)/float64(c.Measured)-1))
	}
	return text + "."
}

// cliffPlace is a number of tables, or says that there is no cliff up to most.
func cliffPlace(tables, most int64) string {
	if tables == 0 {
		return "nowhere up to " + units.Comma(most)
	}
	return "at " + units.Plural(tables, "table")
}
