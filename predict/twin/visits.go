package twin

import (
	"cmp"
	"slices"
)

// visits holds how often a Get visits a table, by reason.
type visits struct {
	found  float64 // the table holds its key
	inside float64 // its key lies within the table's bounds, but not in it
	before float64 // its key lies in the gap before the table
}

func (v visits) all() float64 { return v.found + v.inside + v.before }

// visits calls each with every table and its visits, for Gets of equally popular records. absent
// is the share of Gets of absent keys.
func (t *Tree) visits(absent float64, each func(*table, visits)) {
	total := float64(t.Records())
	for i := range t.runs {
		r := &t.runs[i]
		// passing returns the share of Gets that visit this run without finding their key
		// in it or above it, and whose key is at most key.
		passing := func(key uint64) float64 {
			below := t.recordsUpTo(i+1, key)
			if i < t.level0 && t.opts.Library.AllOfLevel0 {
				below = t.recordsUpTo(0, key) - t.upTo(r, key)
			}
			if absent > 0 {
				below = (1-absent)*below + absent*t.recordsUpTo(0, key)
			}
			return below / total
		}
		end := 0.0 // of the table before
		for n := r.from; n < r.to; n++ {
			p := &t.tables[n]
			lo, hi := passing(p.lo), passing(p.hi)
			v := visits{found: (1 - absent) * float64(t.before[n+1]-t.before[n]) / total, inside: hi - lo}
			if !t.opts.Library.SkipsByBounds {
				v.before = lo - end
			}
			each(p, v)
			end = hi
		}
	}
}

// Openings returns how many tables a Get of an existing key opens if the open most visited
// tables always stay open, which is the best case.
func (t *Tree) Openings(open int) (sum float64) {
	var list []float64
	t.visits(0, func(_ *table, v visits) { list = append(list, v.all()) })
	slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, v := range list[min(open, len(list)):] {
		sum += v
	}
	return sum
}

// recordsUpTo returns how many records up to key are in the runs from run on.
func (t *Tree) recordsUpTo(run int, key uint64) (n float64) {
	for i := run; i < len(t.runs); i++ {
		n += t.upTo(&t.runs[i], key)
	}
	return n
}

// upTo returns how many records of a run are up to key.
func (t *Tree) upTo(r *run, key uint64) float64 {
	tables := t.tables[r.from:r.to]
	at := r.ends.first(key)
	before := float64(t.before[r.from+at] - t.before[r.from])
	if at == len(tables) || key <= tables[at].lo {
		return before
	}
	p := &tables[at]
	return before + p.placeOf(key)*float64(t.before[r.from+at+1]-t.before[r.from+at])
}
