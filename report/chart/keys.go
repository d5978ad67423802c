package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/report/study"
)

// sameShareRatio is the largest ratio of the shares of caches that are compared.
const sameShareRatio = 1.25

// byKeys charts the I/Os per Get of databases of several sizes with caches of about the
// same share, beside growth with log N and the worst case.
func byKeys(s *study.Study) Chart {
	c := Chart{
		Name: "keys", Title: "I/Os per " + s.Operation().One + " by number of keys", Judged: true,
		Note: fmt.Sprintf("Caches of about the same share of the database (within a ratio of %g), at the end of their runs; hollow points are of runs that are not known to be steady. O(log N) begins at the smallest database. The worst case caches nothing.", sameShareRatio),
		X:    Axis{Label: "keys", Unit: Keys, Log: true},
		Y:    Axis{Label: "I/Os per " + s.Operation().One, Unit: IOsPerGet, Log: true}, // the worst case is far above the rest
	}
	groups := grouped(sizedFigures(s))
	for n, g := range groups {
		colour := slices.IndexFunc(groups[:n+1], g.comparable)
		name := g.name(groups)
		c.line(Line{Name: name, Kind: g.kind, Colour: colour, Points: g.points()})
		if g.kind != Published {
			c.line(Line{Name: "O(log N) from there, " + name, Kind: Reference, Colour: colour, Points: logarithmic(g.points())})
		}
	}
	seen := map[string]bool{}
	for _, g := range groups {
		if !seen[g.of] {
			seen[g.of] = true
			c.line(Line{Name: "worst case" + g.origin() + g.curveNames(groups), Kind: Reference, Colour: len(groups), Points: worstCases(g.of, groups)})
		}
	}
	return c
}

// sizedFigure is the cost of Gets in a database of a known number of keys with one cache.
type sizedFigure struct {
	of    string // whose figure it is: all that must be alike for figures to be compared
	curve *study.Curve
	kind  Kind
	keys  int64
	share float64
	point Point
}

func sizedFigures(s *study.Study) (all []sizedFigure) {
	for _, c := range s.Curves {
		if c.Keys() == 0 || c.Bytes() == 0 {
			continue
		}
		add := func(of string, kind Kind, cache int64, p Point) {
			p.X = float64(c.Keys())
			if part := share(cache, c.Bytes()); *part > 0 {
				all = append(all, sizedFigure{of, c, kind, c.Keys(), *part, p})
			}
		}
		for _, r := range c.Runs {
			w := r.Workload
			engine := r.Engine
			engine.Options = maps.Clone(engine.Options)
			delete(engine.Options, "max_open_files") // it goes with the number of tables
			of := fmt.Sprintf("%q", []any{engine, r.Dataset.Kind, r.Dataset.Values, w.Kind, w.Popularity, w.Operation, w.TraceSHA256, w.HitFraction, w.Lookup, w.KeysSHA256, r.UpdatesBefore() > 0, r.Updates.Wanted()})
			add(of, Measured, r.Cache.Bytes, ios(r.Last()))
			if y, known := r.PublishedIOs(); known {
				add(of, Published, r.Cache.Bytes, Point{Y: y})
			}
		}
		for _, p := range c.Predictions {
			if y := cmp.Or(p.IOsPerGet.Steady, p.IOsPerGet.Window); y != nil {
				w := p.Workload
				add(fmt.Sprintf("%q", []any{p.Library, w.Kind, w.Popularity, w.HitFraction, p.Method, p.Cache.Policy}), Predicted, p.Cache.Bytes, Point{Y: *y})
			}
		}
	}
	return all
}

// shareGroup is the comparable figures of databases of different sizes.
type shareGroup struct {
	of       string
	kind     Kind
	readings []sizedFigure // one of each size, ascending
}

// grouped divides figures by configuration and share of the cache, and drops groups of one.
func grouped(all []sizedFigure) (groups []shareGroup) {
	slices.SortStableFunc(all, func(a, b sizedFigure) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.of, b.of), cmp.Compare(a.share, b.share))
	})
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].kind == all[0].kind && all[n].of == all[0].of && all[n].share <= sameShareRatio*all[0].share {
			n++
		}
		if g := newGroup(all[:n]); len(g.readings) > 1 {
			groups = append(groups, g)
		}
		all = all[n:]
	}
	return groups
}

// newGroup takes for each size of database the figure whose cache is nearest to the middle of the shares.
func newGroup(all []sizedFigure) shareGroup {
	middle := math.Sqrt(all[0].share * all[len(all)-1].share)
	off := func(r sizedFigure) float64 { return math.Abs(math.Log(r.share / middle)) }
	best := map[int64]sizedFigure{}
	for _, r := range all {
		if b, ok := best[r.keys]; !ok || off(r) < off(b) {
			best[r.keys] = r
		}
	}
	byKeys := func(a, b sizedFigure) int { return cmp.Compare(a.keys, b.keys) }
	return shareGroup{of: all[0].of, kind: all[0].kind, readings: slices.SortedFunc(maps.Values(best), byKeys)}
}

func (g shareGroup) shares() (least, most float64) {
	byShare := func(a, b sizedFigure) int { return cmp.Compare(a.share, b.share) }
	return slices.MinFunc(g.readings, byShare).share, slices.MaxFunc(g.readings, byShare).share
}

// comparable reports whether two groups have caches of about the same share and the same
// configuration, or one whose configuration is unknown.
func (g shareGroup) comparable(h shareGroup) bool {
	if g.kind == h.kind && g.of != h.of {
		return false
	}
	least, most := g.shares()
	from, to := h.shares()
	return max(most, to) <= sameShareRatio*min(least, from)
}

func (g shareGroup) name(all []shareGroup) string {
	least, most := g.shares()
	from, to := units.Percent(least), units.Percent(most)
	return "cache of " + from + units.If(to != from, " to "+to) + g.origin() + g.curveNames(all)
}

// origin names the source of figures that were not measured.
func (g shareGroup) origin() string { return units.If(g.kind != Measured, ", "+string(g.kind)) }

// curveNames names the group's curves where another group of the same kind could be mistaken for it.
func (g shareGroup) curveNames(all []shareGroup) string {
	if !slices.ContainsFunc(all, func(h shareGroup) bool { return h.kind == g.kind && h.of != g.of }) {
		return ""
	}
	var names []string
	for _, r := range g.readings {
		names = append(names, r.curve.Name)
	}
	const most = 3
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return " (" + strings.Join(names, "; ") + ")"
}

func (g shareGroup) points() (points []Point) {
	for _, r := range g.readings {
		points = append(points, r.point)
	}
	return points
}

// logarithmic returns the growth of the first point with the logarithm of the number of keys.
func logarithmic(of []Point) (points []Point) {
	if of[0].X <= 1 { // log 1 is 0, of which nothing grows
		return nil
	}
	for _, p := range of {
		points = append(points, Point{X: p.X, Y: of[0].Y * math.Log(p.X) / math.Log(of[0].X)})
	}
	return points
}

// worstCases returns the worst cases, with nothing cached, of the compared trees.
func worstCases(of string, groups []shareGroup) (points []Point) {
	for _, g := range groups {
		for _, r := range g.readings {
			shape := r.curve.Shape()
			known := slices.ContainsFunc(points, func(p Point) bool { return p.X == float64(r.keys) })
			if g.of == of && !known && shape != nil && shape.WorstCaseReads > 0 {
				points = append(points, Point{X: float64(r.keys), Y: float64(shape.WorstCaseReads)})
			}
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return points
}
