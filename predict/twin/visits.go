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
		passing, sharing := t.fromOtherRuns(i, absent)
		own := (1 - absent) * t.arrivals(i, i) / total
		end := 0.0 // of the table before
		for n := r.from; n < r.to; n++ {
			p := &t.tables[n]
			lo, hi := passing(p.lo), passing(p.hi)
			sharedLo, sharedHi := sharing(p.lo), sharing(p.hi)
			v := visits{found: own*t.foundIn(n) + sharedHi - sharedLo, inside: hi - lo}
			if !t.opts.Library.SkipsByBounds {
				v.before = lo + sharedLo - end
			}
			each(p, v)
			end = hi + sharedHi
		}
	}
}

// fromOtherRuns returns functions of a key. They return the share of Gets that visit run i without having
// a record of it as their own, and whose key is at most the given one: passing counts those that do not find
// their key in the run, sharing those that do.
func (t *Tree) fromOtherRuns(i int, absent float64) (passing, sharing func(key uint64) float64) {
	total := float64(t.Records())
	has := make([]float64, len(t.runs)) // of the Gets of each run's records
	lacks := make([]float64, len(t.runs))
	for of := range t.runs {
		arriving := (1 - absent) / total * t.arrivals(of, i)
		if of != i {
			_, share := t.runs[of].sharedIn(i)
			has[of], lacks[of] = arriving*share, arriving*(1-share)
		}
		lacks[of] += absent / total
	}
	sum := func(shares []float64) func(uint64) float64 {
		return func(key uint64) (n float64) {
			for of, share := range shares {
				if share > 0 {
					n += share * t.upTo(&t.runs[of], key)
				}
			}
			return n
		}
	}
	return sum(lacks), sum(has)
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
