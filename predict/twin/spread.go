package twin

import (
	"math"
	"slices"
	"sort"
)

// spread maps keys to places, which are shares of a table's records: linearly between points,
// which include both ends of the table. nil is linear throughout.
type spread []point

type point struct {
	key   uint64
	place float64
}

func (s spread) key(place float64) uint64 {
	i := max(sort.Search(len(s), func(i int) bool { return s[i].place > place }), 1)
	if i == len(s) {
		return s[len(s)-1].key
	}
	a, b := s[i-1], s[i]
	return a.key + uint64((place-a.place)/(b.place-a.place)*float64(b.key-a.key))
}

func (s spread) place(key uint64) float64 {
	i := max(sort.Search(len(s), func(i int) bool { return s[i].key > key }), 1)
	if i == len(s) {
		return 1
	}
	a, b := s[i-1], s[i]
	return a.place + float64(key-a.key)/float64(b.key-a.key)*(b.place-a.place)
}

func (p *table) keyAt(place float64) uint64 {
	if p.spread != nil {
		return p.spread.key(place)
	}
	return p.lo + uint64(place*float64(p.hi-p.lo))
}

// placeOf returns the place of a key within the table's bounds.
func (p *table) placeOf(key uint64) float64 {
	if p.spread != nil {
		return p.spread.place(key)
	}
	return float64(key-p.lo) / float64(p.hi-p.lo+1)
}

// spreadLast estimates where the records of the last run's tables lie. In a natural tree of evenly
// drawn keys, all levels together are equally dense everywhere: where there are records above, the
// last run has as many fewer. In a tree that was built level by level, it has not. Which of the two
// a tree is follows from how the densities of the last tables depend on the records above them.
func (t *Tree) spreadLast() {
	if len(t.runs) < 2 {
		return
	}
	last := &t.runs[len(t.runs)-1]
	strips := make([][]strip, last.to-last.from)
	for i := range strips {
		strips[i] = t.strips(&t.tables[last.from+i])
	}
	share := t.displaced(last, strips)
	if share == 0 {
		return
	}
	for i := range strips {
		p := &t.tables[last.from+i]
		p.spread = newSpread(p, t.foundIn(last.from+i), strips[i], share)
	}
}

// foundIn returns the number of records of a table that Gets find.
func (t *Tree) foundIn(n int) float64 { return float64(t.before[n+1] - t.before[n]) }

// strip is a part of a table with the same density of records above it throughout.
type strip struct {
	from, to uint64
	above    float64 // records per key
}

func (s strip) width() float64 { return float64(s.to - s.from) }

// strips divides a table of the last run at the bounds of all tables above.
func (t *Tree) strips(p *table) (list []strip) {
	cuts := []uint64{p.lo, p.hi}
	var over []int
	for i := range t.runs[:len(t.runs)-1] {
		r := &t.runs[i]
		for n := r.first(p.lo); n < r.to && t.tables[n].lo < p.hi; n++ {
			over = append(over, n)
			for _, cut := range []uint64{t.tables[n].lo, t.tables[n].hi} {
				if cut > p.lo && cut < p.hi {
					cuts = append(cuts, cut)
				}
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i := range cuts[1:] {
		s := strip{from: cuts[i], to: cuts[i+1]}
		for _, n := range over {
			if above := &t.tables[n]; above.lo <= s.from && s.to <= above.hi {
				s.above += t.foundIn(n) / max(float64(above.hi-above.lo), 1)
			}
		}
		list = append(list, s)
	}
	return list
}

// unevenDensity is the largest standard deviation of the tables' total densities, as a share of
// their mean, at which keys count as evenly drawn.
const unevenDensity = 0.2

// displaced returns how many records are missing from the last run per record above: 1 in a
// natural tree, 0 in one whose levels are independent. It is the slope of a line through the
// tables' densities, weighted by width.
func (t *Tree) displaced(last *run, strips [][]strip) float64 {
	var weight, own, above, ownAbove, aboveAbove, all, allAll float64
	for i := range strips {
		p := &t.tables[last.from+i]
		w := float64(p.hi - p.lo)
		if w == 0 {
			continue
		}
		y, x := t.foundIn(last.from+i)/w, meanAbove(strips[i])
		weight += w
		own += w * y
		above += w * x
		ownAbove += w * x * y
		aboveAbove += w * x * x
		all += w * (x + y)
		allAll += w * (x + y) * (x + y)
	}
	if weight == 0 {
		return 0
	}
	mean := all / weight
	if spread := math.Sqrt(max(allAll/weight-mean*mean, 0)); spread > unevenDensity*mean {
		return 0
	}
	variance := aboveAbove/weight - above/weight*above/weight
	if variance <= 0 {
		return 0
	}
	slope := (ownAbove/weight - own/weight*above/weight) / variance
	return min(max(-slope, 0), 1)
}

// meanAbove returns the mean density of the records above a table.
func meanAbove(strips []strip) (mean float64) {
	width := 0.0
	for _, s := range strips {
		mean += s.above * s.width()
		width += s.width()
	}
	return mean / width
}

// newSpread spreads a table's records over its strips, reduced by a share of the records above
// each.
func newSpread(p *table, records float64, strips []strip, share float64) spread {
	if len(strips) < 2 {
		return nil
	}
	even := records/float64(p.hi-p.lo) + share*meanAbove(strips)
	s := spread{{p.lo, 0}}
	sum := 0.0
	for _, strip := range strips {
		sum += max(even-share*strip.above, 0) * strip.width()
		s = append(s, point{strip.to, sum})
	}
	for i := range s {
		s[i].place /= sum
	}
	return s
}
