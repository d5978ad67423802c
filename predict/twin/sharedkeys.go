package twin

import (
	"math"
	"slices"

	"getio/tree/lsm"
)

// shareKeys tells the runs which share of their keys other runs have too.
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
			r.shared, r.sharedWithin = make([]float64, len(t.runs)), make([]float64, len(t.runs))
		}
		r.shared[in] = k.Share
		r.sharedWithin[in] = min(k.Share/t.covered(r, &t.runs[in]), 1)
	}
}

// covered returns the share of a run's records whose keys lie within the bounds of another run's tables. It
// is above 0.
func (t *Tree) covered(r, by *run) float64 {
	records := 0.0
	for n := by.from; n < by.to; n++ {
		records += t.upTo(r, t.tables[n].hi) - t.upTo(r, t.tables[n].lo)
	}
	return max(records, 1) / max(t.upTo(r, math.MaxUint64), 1)
}

// sharedIn returns the share of a run's records whose keys are in run i too, and of its records within the
// bounds of that run's tables.
func (r *run) sharedIn(i int) (all, within float64) {
	if r.shared == nil {
		return 0, 0
	}
	return r.shared[i], r.sharedWithin[i]
}

// stopsAfter reports whether a Get that has found its key by the end of run i visits no further run.
func (t *Tree) stopsAfter(i int) bool {
	return !t.opts.Library.AllOfLevel0 || i >= t.level0-1
}

// sharing draws whether run i has a key of run of too. It returns the table that has it, or nil.
func (t *Tree) sharing(of, i int, key uint64, random *Random) *table {
	_, share := t.runs[of].sharedIn(i)
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

// arrivals returns the share of the Gets of run of's records that visit run i: those that are not answered
// by a run before. Keys that are in several other runs are taken to be in each independently.
func (t *Tree) arrivals(of, i int) float64 {
	arriving, answered := 1.0, 0.0 // answered by a run after which the Get goes on
	for before := range i {
		has, _ := t.runs[of].sharedIn(before)
		if before == of {
			has = 1
		}
		answered += (1 - answered) * has
		if t.stopsAfter(before) {
			arriving *= 1 - answered
			answered = 0
		}
	}
	return arriving
}
