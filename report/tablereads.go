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
	p.text("reads of tables", nil)
}

// tablesSweep writes measurements counted outside at several sizes, a column for each table.
func tablesSweep(p *printer, sorted []*record.Result) {
	columns := []column[*record.Result]{
		col("cache", cacheSize),
		col("% of\nDB", fractionOfDB),
		col("I/Os\n/Get", held(meanCell)),
		col("±95%", held(halfWidthCell)),
		col("steady", steadyOrFailed).left(),
		col("bytes\n/Get", held(bytesPerGet)).spareAs(1),
	}
	tables := sorted[0].Tables
	for i, t := range tables {
		columns = append(columns, col(t.Name+"\nI/Os/Get", held(func(r *record.Result) string {
			if i >= len(r.Tables) {
				return units.Absent
			}
			return iosPerGet(r.Tables[i].ReadsPerGet)
		})).spareAs(1+len(tables)-i))
	}
	p.table(newTable(sorted, columns...))
}
