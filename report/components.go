package report

import (
	"getio/numbers/units"
	"getio/record"
)

// componentTable writes accesses and reads by component.
func componentTable(p *printer, r *record.Result) {
	one := r.Workload.Words().One
	gets := r.Workload.Gets
	known := colIf(func(c string) bool { _, known := r.Components[c]; return known }, units.Absent)
	figure := func(name string, of func(record.Component) string) column[string] {
		return known(name, func(c string) string { return of(r.Components[c]) })
	}
	misses := totalMisses(r)
	t := newTable(reported(r.Components),
		col("component", componentName),
		figure("accesses\nper "+one, func(v record.Component) string { return accesses(v, gets) }),
		figure("misses\nper "+one, func(v record.Component) string { return units.PerGet(v.Misses, gets) }),
		figure("hit\nrate", componentHitRate),
		figure("bytes read\nper "+one, func(v record.Component) string { return bytesRead(v.BytesRead, v.Misses, gets) }),
		figure("share\nof I/Os", func(v record.Component) string { return units.PercentOf(v.Misses, misses) }))
	p.table(t.withFooter(totalRow(r, misses)...))
	if r.Updates != nil {
		p.text("updates and accesses", nil)
	}
	if estimated(r) {
		p.prose("~ is estimated: the engine counts index and data accesses as one sum. Sum and misses are exact.")
	}
}

// accesses writes the accesses per Get. Reads without accesses are of blocks that the
// engine does not count by themselves.
func accesses(v record.Component, gets int64) string {
	if v.Accesses == nil || *v.Accesses == 0 && v.Misses > 0 {
		return units.Absent
	}
	return tilde(v) + units.PerGet(*v.Accesses, gets)
}

func totalMisses(r *record.Result) (sum int64) {
	for _, v := range r.Components {
		sum += v.Misses
	}
	return sum
}

// totalRow sums the components; its hit rate is that of the whole block cache as the
// engine counts it.
func totalRow(r *record.Result, misses int64) []string {
	if len(r.Components) == 0 {
		return []string{"total", units.Absent, units.Absent, blockCacheHitRate(r), bytesPerGet(r), units.Absent}
	}
	return []string{"total", totalAccesses(r), units.PerGet(misses, r.Workload.Gets), blockCacheHitRate(r),
		bytesPerGet(r), units.PercentOf(misses, misses)}
}

// totalAccesses are unknown if one component's are.
func totalAccesses(r *record.Result) string {
	var sum int64
	for _, v := range r.Components {
		if v.Accesses == nil {
			return units.Absent
		}
		sum += *v.Accesses
	}
	return units.PerGet(sum, r.Workload.Gets)
}

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
