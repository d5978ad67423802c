package twin

import (
	"slices"

	"getio/engine/lsm"
)

// further says how Gets that found their keys in a run go on to an older one.
type further struct {
	visits float64 // share of them
	finds  float64 // the same of those that find a record there, in a table of the run that is like the mean
}

// at returns how the Gets go on whose keys lie within the bounds of a table of the older run, or of none if p is nil. They
// find an older record where the table has many keys that Gets do not find there.
func (f further) at(p *table) further {
	if p == nil {
		return f
	}
	finds := min(f.finds*p.others, 1)
	if f.visits < 1 {
		f.visits = min(max(f.visits+finds-f.finds, finds), 1)
	}
	f.finds = finds
	return f
}

// setOthers sets how dense the keys are in each table that Gets do not find there.
func (t *Tree) setOthers() {
	for _, r := range t.runs {
		keys, width := 0.0, 0.0
		for n := r.from; n < r.to; n++ {
			keys += t.others(n)
			width += t.tables[n].width()
		}
		for n := r.from; n < r.to; n++ {
			p := &t.tables[n]
			if p.others = 1; keys > 0 && p.width() > 0 {
				p.others = t.others(n) / p.width() / (keys / width)
			}
		}
	}
}

// others returns the number of keys of a table that Gets do not find there.
func (t *Tree) others(n int) float64 { return max(t.tables[n].keys-t.foundIn(n), 0) }

func (p *table) width() float64 { return float64(p.hi - p.lo) }

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
		to.finds = k.Finds / t.covered(r, &t.runs[in])
	}
}

// covered returns the share of a run's records whose keys lie within the bounds of another run's tables, weighted by how
// dense the keys are there that Gets do not find; 1 if that cannot be told.
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

// within returns that share of a table's records.
func (t *Tree) within(p *table, by *run) (share float64) {
	for n := by.first(p.lo); n < by.to && t.tables[n].lo <= p.hi; n++ {
		q := &t.tables[n]
		if p.lo == p.hi {
			return q.others // its keys are alike in their first 64 bits
		}
		share += (p.placeOf(min(p.hi, q.hi)) - p.placeOf(max(p.lo, q.lo))) * q.others
	}
	return share
}

// at returns the table of a run within whose bounds a key lies, nil if there is none.
func (t *Tree) at(r *run, key uint64) *table {
	if n := r.first(key); n < r.to && key >= t.tables[n].lo {
		return &t.tables[n]
	}
	return nil
}
