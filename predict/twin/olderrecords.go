package twin

import (
	"slices"

	"getio/tree/lsm"
)

// further says how Gets that found their keys in a run go on to an older one.
type further struct {
	visits float64 // share of them
	finds  float64 // the same of those that find a record there, if the key is within the bounds of the run's tables
}

// setOlder sets how Gets go on.
func (t *Tree) setOlder(list []lsm.OlderRecords) {
	number := func(name lsm.SortedRun) int {
		return slices.IndexFunc(t.runs, func(r run) bool { return r.name == name })
	}
	for i := range t.runs {
		t.runs[i].older = make([]further, len(t.runs))
		if t.opts.Library.AllOfLevel0 && i < t.level0 {
			for j := i + 1; j < t.level0; j++ {
				t.runs[i].older[j].visits = 1
			}
		}
	}
	for _, k := range list {
		of, in := number(k.Of), number(k.In)
		if of < 0 || in < 0 {
			continue // a run of nothing but range deletions
		}
		r := &t.runs[of]
		to := &r.older[in]
		to.visits = max(k.Visits, to.visits)
		to.finds = min(k.Finds/t.covered(r, &t.runs[in]), to.visits)
	}
}

// covered returns the share of a run's records whose keys lie within the bounds of another run's tables, 1 if
// that cannot be told.
func (t *Tree) covered(r, by *run) float64 {
	records, all := 0.0, 0.0
	for n := r.from; n < r.to; n++ {
		all += t.foundIn(n)
		records += t.foundIn(n) * t.within(&t.tables[n], by)
	}
	if records == 0 {
		return 1
	}
	return records / all
}

// within returns the share of a table's records whose keys lie within the bounds of another run's tables.
func (t *Tree) within(p *table, by *run) (share float64) {
	for n := by.from + by.ends.first(p.lo); n < by.to && t.tables[n].lo <= p.hi; n++ {
		q := &t.tables[n]
		if p.lo == p.hi {
			return 1 // its keys are alike in their first 64 bits
		}
		share += p.placeOf(min(p.hi, q.hi)) - p.placeOf(max(p.lo, q.lo))
	}
	return share
}

// at returns the table of a run within whose bounds a key lies, nil if there is none.
func (t *Tree) at(r *run, key uint64) *table {
	if n := r.from + r.ends.first(key); n < r.to && key >= t.tables[n].lo {
		return &t.tables[n]
	}
	return nil
}
