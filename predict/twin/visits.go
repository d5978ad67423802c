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
	all := make([]visits, len(t.tables))
	total := float64(t.Records())
	next := make([]int, len(t.runs)) // in each run, the first table that ends at or beyond the part
	for _, part := range t.parts() {
		for i := range t.runs {
			next[i] = t.runs[i].first(part.to)
		}
		for i := range t.runs {
			for n := next[i]; n < t.runs[i].to && t.tables[n].spans(part); n++ {
				gets := t.foundIn(n) * t.tables[n].share(part) / total
				t.visitRuns(all, part, next, n, gets*(1-absent))
				t.visitRuns(all, part, next, -1, gets*absent)
			}
		}
	}
	for n := range t.tables {
		each(&t.tables[n], all[n])
	}
}

// visitRuns adds the visits of Gets of keys in a part of the key space: of records of table own, or of absent keys if
// own is negative.
func (t *Tree) visitRuns(all []visits, part part, next []int, own int, gets float64) {
	of := len(t.runs) // where the Gets find their keys
	if own >= 0 {
		of = t.tables[own].run
	}
	further := 1.0 // share of the Gets that go on
	for i, n := range next {
		visits, finds := 1.0, 0.0 // shares of the Gets
		switch {
		case i == of:
			n, finds = own, 1
		case i > of:
			f := t.runs[of].older[i]
			if n < t.runs[i].to && t.tables[n].spans(part) {
				f = f.at(&t.tables[n])
			}
			further = min(further, f.visits)
			if visits = further; f.visits > 0 {
				finds = f.finds * further / f.visits
			}
		}
		switch {
		case n == t.runs[i].to:
		case t.tables[n].spans(part):
			all[n].found += gets * finds
			all[n].inside += gets * (visits - finds)
		case !t.opts.Library.SkipsByBounds:
			all[n].before += gets * visits
		}
	}
}

// part is a part of the key space that no table begins or ends in. It is one key if from and to are equal.
type part struct{ from, to uint64 }

// parts divides the key space at the bounds of all tables.
func (t *Tree) parts() (list []part) {
	var cuts []uint64
	points := map[uint64]bool{} // of tables whose keys are alike in their first 64 bits
	for i := range t.tables {
		p := &t.tables[i]
		cuts = append(cuts, p.lo, p.hi)
		if p.lo == p.hi {
			points[p.lo] = true
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, cut := range cuts {
		if points[cut] {
			list = append(list, part{cut, cut})
		}
		if i+1 < len(cuts) {
			list = append(list, part{cut, cuts[i+1]})
		}
	}
	return list
}

// spans reports whether the part lies within the table's bounds.
func (p *table) spans(of part) bool { return p.lo <= of.from && of.to <= p.hi }

// share returns the share of a table's records in a part that it spans.
func (p *table) share(of part) float64 {
	switch {
	case p.lo == p.hi:
		return 1
	case of.from == of.to:
		return 0
	case of.to == p.hi:
		return 1 - p.placeOf(of.from)
	}
	return p.placeOf(of.to) - p.placeOf(of.from)
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
