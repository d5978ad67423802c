package growth

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// options are those of a natural tree, with its own bytes per record.
func (n *natural) options() Options {
	o := BenchKVDB()
	o.LBaseMaxBytes /= n.scale
	o.MemTableSize /= n.scale
	for i := range o.TargetFileSize {
		o.TargetFileSize[i] /= n.scale
	}
	var bytes, records float64 // above L6
	for level, l := range n.levels {
		if level < lastLevel {
			bytes += l.bytes
			records += float64(l.records)
		}
	}
	if records > 0 {
		o.UpperRecord = bytes / records
	}
	if last := n.levels[lastLevel]; last.records > 0 {
		o.LastRecord = last.bytes / float64(last.records)
	}
	return o
}

// grown reports whether a tree has more than a few flushes, and no level is still filling after
// the base level moved up.
func (n *natural) grown() bool {
	o := n.options()
	flush := o.flush()
	size := float64(n.keys) * o.LastRecord
	bytes, base := o.sizes(size)
	return float64(n.keys) > young*flush && base == n.base && bytes[lastLevel-1] > 0.99*o.settled(size, base, lastLevel-1)
}

// modelled grows a tree with the natural one's options, several times, and returns the means of
// each level.
func (n *natural) modelled(t *testing.T) (levels map[int]levelStats, visits float64) {
	t.Helper()
	const seeds = 12
	levels = map[int]levelStats{}
	o := n.options()
	for seed := range uint64(seeds) {
		o.Seed = seed
		s, err := Shape(n.keys, o)
		require.NoError(t, err)
		visits += consulted(s) / seeds
		for _, l := range s.Levels {
			levels[l.Level] = levels[l.Level].plus(statsOf(l), 1.0/seeds)
		}
	}
	return levels, visits
}

// plus adds a share of w's figures; the counts are those of w.
func (v levelStats) plus(w levelStats, share float64) levelStats {
	return levelStats{
		tables: w.tables, records: w.records,
		coverage: v.coverage + share*w.coverage, gaps: v.gaps + share*w.gaps,
		width: v.width + share*w.width, size: v.size + share*w.size, reach: v.reach + share*w.reach,
		both: v.both + share*w.both, visited: v.visited + share*w.visited, hot: v.hot + share*w.hot,
	}
}

// figures are what TestTablesAreArrangedAsInNaturalTrees compares, and how far outside of
// the natural means a modelled one may be. Only two are compared of L0, which
// the model has in every tree: the others describe how its tables differ, and a mean over trees
// without an L0 and trees with a complete flush describes neither.
var figures = []struct {
	name      string
	of        func(levelStats) float64
	tolerance float64
	ofL0      bool
}{
	{"coverage", func(v levelStats) float64 { return v.coverage }, 0.03, true},
	{"gaps", func(v levelStats) float64 { return v.gaps }, 0.05, false},
	{"width", func(v levelStats) float64 { return v.width }, 0.05, false},
	{"size", func(v levelStats) float64 { return v.size }, 0.05, false},
	{"reach", func(v levelStats) float64 { return v.reach }, 0.1, false},
	{"both", func(v levelStats) float64 { return v.both }, 0.1, false},
	{"visited", func(v levelStats) float64 { return v.visited }, 0.04, true},
	{"hot", func(v levelStats) float64 { return v.hot }, 0.03, false},
}

// TestTablesAreArrangedAsInNaturalTrees compares the means of the levels of one kind over
// all grown natural trees with those of the trees modelled in their place. The
// model stands between trees loaded flat out and paced.
func TestTablesAreArrangedAsInNaturalTrees(t *testing.T) {
	type sum struct{ natural, model levelStats }
	sums := map[string]*sum{} // by kind and load
	counts := map[string]float64{}
	add := func(key string, natural, model levelStats) {
		if sums[key] == nil {
			sums[key] = &sum{}
		}
		counts[key]++
		sums[key].natural = sums[key].natural.plus(natural, 1)
		sums[key].model = sums[key].model.plus(model, 1)
	}
	for _, n := range naturals(t) {
		if !n.grown() {
			continue
		}
		levels, _ := n.modelled(t)
		for level := range len(plan{}) {
			l := n.levels[level]
			if l.records == 0 && level > 0 { // no L0 is one that no Get visits
				continue
			}
			load := "flat"
			if n.load == "paced" {
				load = n.load
			}
			add(kind(level, n.base)+load, l.levelStats, levels[level])
			add(kind(level, n.base), l.levelStats, levels[level])
		}
	}
	for _, k := range []string{"L0", "base", "base+1", "base+2", "L6"} {
		for _, f := range figures {
			flat := f.of(sums[k+"flat"].natural) / counts[k+"flat"]
			paced := f.of(sums[k+"paced"].natural) / counts[k+"paced"]
			model := f.of(sums[k].model) / counts[k]
			t.Logf("%-6s %-8s natural, flat out %.2f, paced %.2f; modelled %.2f", k, f.name, flat, paced, model)
			low, high := min(flat, paced)-f.tolerance, max(flat, paced)+f.tolerance
			if k == "L0" && !f.ofL0 {
				continue
			}
			if model < low || model > high {
				t.Errorf("%s, %s: %.2f is not within %.2f to %.2f", k, f.name, model, low, high)
			}
		}
	}
}

// TestVisitedTablesMatchNaturalTrees compares how many tables a Get visits, in the mean
// over all grown trees: one tree's L0 alone makes it differ by up to one.
func TestVisitedTablesMatchNaturalTrees(t *testing.T) {
	var natural, model, square, trees float64
	for _, n := range naturals(t) {
		if !n.grown() {
			continue
		}
		_, visits := n.modelled(t)
		t.Logf("%-5s %9d keys, sizes / %-2d: natural %.2f, modelled %.2f", n.load, n.keys, n.scale, n.visits, visits)
		natural += n.visits
		model += visits
		square += (visits - n.visits) * (visits - n.visits)
		trees++
	}
	t.Logf("mean of %.0f trees: natural %.3f, modelled %.3f; one tree deviates by %.2f", trees, natural/trees, model/trees, math.Sqrt(square/trees))
	if math.Abs(model-natural)/trees > 0.1 {
		t.Errorf("a Get visits %.3f tables, but %.3f in natural trees", model/trees, natural/trees)
	}
}

// TestLevelsMatchNaturalTrees compares the records and tables of grown trees,
// level by level. It skips L0, whose size is random.
func TestLevelsMatchNaturalTrees(t *testing.T) {
	for _, n := range naturals(t) {
		if !n.grown() {
			continue
		}
		levels, _ := n.modelled(t)
		for level := 1; level < len(plan{}); level++ {
			l, m := n.levels[level], levels[level]
			if l.records == 0 && m.records == 0 {
				continue
			}
			records, tables := float64(m.records)/float64(l.records), float64(m.tables)/float64(l.tables)
			t.Logf("%-5s %9d / %-2d L%d: records %8d, modelled %+.1f%%; tables %4d, modelled %+.0f%%", n.load, n.keys, n.scale,
				level, l.records, 100*(records-1), l.tables, 100*(tables-1))
			if math.Abs(records-1) > 0.25 || tables < 0.6 || tables > 1.7 {
				t.Errorf("%s, %d keys, L%d: modelled %d records in %d tables, natural %d in %d", n.load, n.keys, level,
					m.records, m.tables, l.records, l.tables)
			}
		}
	}
}

// TestLastFlush compares how densely records lie in L0 with the size of the last
// flush, and how many tables a flush has with the model's. Trees of other loads
// were flushed before their memtables were full.
func TestLastFlush(t *testing.T) {
	var natural, modelled float64 // tables
	for _, n := range naturals(t) {
		l := n.levels[0]
		o := n.options()
		flush := o.flush()
		if n.load != "getio" || l.records == 0 || float64(n.keys) < flush {
			continue
		}
		got, want := lastFlush(float64(n.keys), flush), float64(l.records)/l.coverage
		p := o.plan(n.keys)
		t.Logf("%8d keys: last flush of %6.0f records, modelled %6.0f; %4.1f tables per key space, modelled %4.1f", n.keys, want, got,
			float64(l.tables)/l.coverage, float64(p[0].count)/coverageL0)
		if math.Abs(got-want) > 0.03*flush {
			t.Errorf("%d keys: last flush of %.0f records, modelled %.0f", n.keys, want, got)
		}
		natural += float64(l.tables) / l.coverage
		modelled += float64(p[0].count) / coverageL0
	}
	if math.Abs(modelled/natural-1) > 0.2 {
		t.Errorf("flushes have %.2f times as many tables as natural ones", modelled/natural)
	}
}
