package report

import (
	"getio/numbers/units"
	"getio/record"
)

// tableReads writes what a Get in each table of an MDBX database read.
func tableReads(p *printer, r *record.Result) {
	p.table(newTable(r.Tables,
		col("table", func(t record.TableReads) string { return t.Name }),
		col("", func(t record.TableReads) string { return ifAny(t.DupSort, "dupsort") }).left(),
		col("entries", func(t record.TableReads) string { return units.Comma(t.Entries) }).spareAs(2),
		col("Gets", func(t record.TableReads) string { return units.Comma(t.Gets) }).spareAs(1),
		col("reads\nper Get", func(t record.TableReads) string { return units.IOs(t.ReadsPerGet) }),
		col("bytes read\nper Get", func(t record.TableReads) string { return units.MeanSize(t.BytesPerGet) })))
	p.prose("The kernel counted these reads of the disk, for a process that looked the keys up. Which pages they were for is not known.")
}

// tablesSweep writes measurements counted outside at several sizes, a column for each table.
func tablesSweep(p *printer, sorted []*record.Result) {
	measured := func(name string, of func(*record.Result) string) column[*record.Result] {
		return col(name, func(r *record.Result) string {
			if !r.Checks.Hold() {
				return units.Absent
			}
			return of(r)
		})
	}
	columns := []column[*record.Result]{
		col("cache", cacheSize),
		col("% of\nDB", fractionOfDB),
		measured("I/Os\n/Get", meanCell),
		measured("±95%", func(r *record.Result) string { return halfWidth(r.IOsPerGet) }),
		col("steady", steadyOrFailed).left(),
		measured("bytes\n/Get", bytesPerGet).spareAs(1),
	}
	tables := sorted[0].Tables
	for i, t := range tables {
		columns = append(columns, measured(t.Name+"\nI/Os/Get", func(r *record.Result) string {
			if i >= len(r.Tables) {
				return units.Absent
			}
			return iosPerGet(r.Tables[i].ReadsPerGet)
		}).spareAs(1+len(tables)-i))
	}
	p.table(newTable(sorted, columns...))
}
