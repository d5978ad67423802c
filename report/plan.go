package report

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// Plan writes the cells of a plan and what each is expected to need.
func Plan(w io.Writer, cells []record.CellOutline) error {
	p := newPrinter(w)
	first := cells[0]
	type cell = record.CellOutline
	var columns []column[cell]
	if first.Store != nil {
		columns = []column[cell]{
			col("store", func(c cell) string { return units.OneLine(c.Store.Label) }).left(),
			col("version", func(c cell) string { return shortened(units.OneLine(c.Store.Version), 20) }).left(),
			col("keys", func(c cell) string { return units.Comma(int64(c.Store.Keys)) }),
		}
	} else {
		columns = []column[cell]{
			col("cache", func(c cell) string { return units.Size(c.CacheBytes) }),
			col("round", func(c cell) string { return fmt.Sprintf("%d of %d", c.Round, c.Rounds) }).when(first.Rounds > 0),
			col("time", func(c cell) string { return between(c.Needs.Hours, time.Hour) }),
			col("CPU time", func(c cell) string { return between(c.Needs.CPUSeconds, time.Second) }),
		}
	}
	columns = append([]column[cell]{col("cell", func(c cell) string { return strconv.Itoa(c.Number) })}, columns...)
	p.table(newTable(cells, append(columns,
		col("memory", func(c cell) string { return units.Size(c.Needs.MemoryBytes) }),
		col("disk", func(c cell) string { return units.Size(c.Needs.DiskBytes) }))...))
	if first.Store != nil {
		p.text("plan of stores", nil)
	} else {
		p.text("plan of runs", first)
	}
	return p.flush()
}

// between prints a range of times in a unit, or one time where its ends are printed alike.
func between(ends [2]float64, unit time.Duration) string {
	print := func(n float64) string {
		d := time.Duration(n * float64(unit))
		return d.Round(max(time.Second, d.Truncate(time.Hour)/100)).String()
	}
	least, most := print(ends[0]), print(ends[1])
	if least == most {
		return least
	}
	return least + " to " + most
}
