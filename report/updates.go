package report

import (
	"fmt"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// updatesSection writes which keys were overwritten meanwhile, the cost, and each window.
func updatesSection(p *printer, u *record.Updates) {
	p.text("updates meanwhile", struct {
		*record.Updates
		Others string
	}{u, othersRead(u.ReadsOfOthers)})
	p.blank()
	windowTable(p, u.Windows)
}

// othersRead lists the components that others than Gets read; "" if none.
func othersRead(o record.OtherReads) string {
	var parts []string
	for _, c := range record.ComponentNames {
		if reads := o.Components[c].Reads; reads > 0 {
			parts = append(parts, componentName(c)+" "+units.Comma(reads))
		}
	}
	return strings.Join(parts, ", ")
}

// windowTable has for each window the tree at its end and what happened in it.
func windowTable(p *printer, windows []record.UpdateWindow) {
	type row struct {
		number int
		record.UpdateWindow
	}
	var rows []row
	for i, w := range windows {
		rows = append(rows, row{i + 1, w})
	}
	count := func(name string, of func(row) int64) column[row] {
		return col(name, func(w row) string { return units.Comma(of(w)) })
	}
	p.table(newTable(rows,
		col("window", func(w row) string { return fmt.Sprint(w.number) }),
		col("I/Os\nper Get", func(w row) string { return units.IOs(w.IOsPerGet) }),
		count("keys\nwritten", func(w row) int64 { return w.Writes }),
		count("L0\ntables", func(w row) int64 { return w.L0Tables }),
		count("L0\nsublevels", func(w row) int64 { return w.L0Sublevels }).spareAs(3),
		count("under\nway", func(w row) int64 { return w.Running }).spareAs(2),
		count("flushes", func(w row) int64 { return w.Flushes }),
		count("compac-\ntions", func(w row) int64 { return w.Compactions }),
		count("stalls", func(w row) int64 { return w.Stalls }),
		count("others'\nreads", func(w row) int64 { return w.OthersReads }),
		col("others'\nbytes", func(w row) string { return units.Size(w.OthersBytes) }).spareAs(1)))
}
