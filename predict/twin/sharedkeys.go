package twin

import (
	"slices"

	"getio/numbers/wyrand"
	"getio/tree/lsm"
)

// shareKeys sets which share of each run's keys other runs have too.
func (t *Tree) shareKeys(list []lsm.SharedKeys) {
	number := func(name lsm.SortedRun) int {
		return slices.IndexFunc(t.runs, func(r run) bool { return r.name == name })
	}
	for _, k := range list {
		of, in := number(k.Of), number(k.In)
		if of < 0 || in < 0 {
			continue // a run of nothing but range deletions
		}
		r := &t.runs[of]
		if r.shared == nil {
			r.shared = make([]float64, len(t.runs))
		}
		r.shared[in] = min(k.Share/t.covered(r, &t.runs[in]), 1)
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

// sharedIn returns, of a run's records within the bounds of run i's tables, the share whose keys are in run i too.
func (r *run) sharedIn(i int) float64 {
	if r.shared == nil {
		return 0
	}
	return r.shared[i]
}

// stopsAfter reports whether a Get that has found its key by the end of run i visits no further run.
func (t *Tree) stopsAfter(i int) bool {
	return !t.opts.Library.AllOfLevel0 || i >= t.level0-1
}

// sharing draws whether run i has a key of run of too. It returns the table that has it, or nil.
func (t *Tree) sharing(of, i int, key uint64, random *wyrand.Random) *table {
	share := t.runs[of].sharedIn(i)
	if share == 0 {
		return nil
	}
	r := &t.runs[i]
	at := r.from + r.ends.first(key)
	if at == r.to || key < t.tables[at].lo || random.Float64() >= share {
		return nil
	}
	return &t.tables[at]
}
