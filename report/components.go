package report

import (
	"getio/numbers/units"
	"getio/record"
)

// componentTable writes accesses and reads by component.
func componentTable(p *printer, r *record.Result) {
	one := r.Workload.Words().One
	gets := r.Workload.Gets
	figure := func(name string, of func(record.Component) string) column[string] {
		return col(name, func(c string) string {
			if v, known := r.Components[c]; known {
				return of(v)
			}
			return units.Absent
		})
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
