package twin

import (
	"cmp"
	"slices"
)

// visits are how often a Get visits a table.
type visits struct {
	found  float64 // its key is there
	inside float64 // it passes by: its key lies between the table's, and elsewhere
	before float64 // its key lies in the gap before the table
}

func (v visits) all() float64 { return v.found + v.inside + v.before }

// visits calls each with every table and the visits of Gets of equally popular
// records, of which a share asks for keys that are not there.
func (t *Tree) visits(absent float64, each func(*table, visits)) {
	total := float64(t.Records())
	for i := range t.runs {
		r := &t.runs[i]
		// passing is how many Gets of all pass by this run with keys up to one.
		passing := func(key uint64) float64 {
			below := t.recordsUpTo(i+1, key)
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

// Openings is how many tables a Get of an existing key has to open, if so many stay
// open: at best, those that are visited most often.
func (t *Tree) Openings(open int) (sum float64) {
	var list []float64
	t.visits(0, func(_ *table, v visits) { list = append(list, v.all()) })
	slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, v := range list[min(open, len(list)):] {
		sum += v
	}
	return sum
}

// recordsUpTo is how many records of the runs from run on lie up to a key.
func (t *Tree) recordsUpTo(run int, key uint64) (n float64) {
	for i := run; i < len(t.runs); i++ {
		n += t.upTo(&t.runs[i], key)
	}
	return n
}

// upTo is how many records of a run lie up to a key.
func (t *Tree) upTo(r *run, key uint64) float64 {
	tables := t.tables[r.from:r.to]
	at := r.search.firstTable(tables, key)
	before := float64(t.before[r.from+at] - t.before[r.from])
	if at == len(tables) || key <= tables[at].lo {
		return before
	}
	p := &tables[at]
	return before + p.placeOf(key)*float64(t.before[r.from+at+1]-t.before[r.from+at])
}
