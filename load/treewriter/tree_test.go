package treewriter_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/load/treewriter"
	"getio/workload/dataset"
)

// randomRun returns a run of n tables that do not overlap, as a shape lists them. Their keys
// have random lengths, and few of them share their first 64 bits.
func randomRun(random *rand.Rand, n int) []lsm.Table {
	keys := make([]lsm.Key, 2*n)
	for i := range keys {
		key := make(lsm.Key, 1+random.IntN(40))
		for at := range key {
			key[at] = byte(random.Uint32())
		}
		keys[i] = key
	}
	slices.SortFunc(keys, func(a, b lsm.Key) int { return bytes.Compare(a, b) })
	run := make([]lsm.Table, n)
	for i := range run {
		run[i] = lsm.Table{File: random.Uint64(), Smallest: keys[2*i], Largest: keys[2*i+1], Records: 1 + random.Int64N(1_000)}
	}
	return run
}

// prefixOf returns the first 64 bits of a key.
func prefixOf(key lsm.Key) uint64 {
	return binary.BigEndian.Uint64(append(bytes.Clone(key), make([]byte, 8)...))
}

// A tree has the tables of its shape in the shape's ranges, whatever the order in which those
// of L0 are listed.
func TestTreeOfAShape(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var levels [lsm.NumLevels][]lsm.Table
		var want []lsm.Table // in the tree's order
		for level := range levels {
			sublevels := random.IntN(2)
			if level == 0 {
				sublevels = random.IntN(4)
			}
			for sublevel := range sublevels {
				run := randomRun(random, 1+random.IntN(8))
				for i := range run {
					run[i].Sublevel = sublevel
				}
				want = append(want, run...)
				levels[level] = append(levels[level], run...)
			}
		}
		random.Shuffle(len(levels[0]), func(i, j int) { levels[0][i], levels[0][j] = levels[0][j], levels[0][i] })
		tree, err := treewriter.Tree(lsm.NewShape(levels), 17)
		if len(want) == 0 {
			continue
		}
		require.NoError(t, err)
		require.Len(t, tree.Tables, len(want), "round %d", round)
		for i, table := range tree.Tables {
			w := want[i]
			first, last := prefixOf(w.Smallest), prefixOf(w.Largest)
			if table.File != 17+uint64(i) || table.Keys != uint64(w.Records) || table.Sublevel != w.Sublevel ||
				!slices.ContainsFunc(levels[table.Level], func(l lsm.Table) bool { return l.File == w.File }) {
				t.Errorf("round %d: table %d is %+v, want %+v", round, i, table, w)
			}
			if last-first > uint64(w.Records) && (uint64(table.First)-first > 1 || uint64(table.Last) != last+1) {
				t.Errorf("round %d: table %d ranges from %x to %x, want %x to %x", round, i, table.First, table.Last, first, last+1)
			}
		}
	}
}

// Tables whose bounds share their first 64 bits are placed one after another.
func TestTablesOfOnePrefix(t *testing.T) {
	key := func(n byte) lsm.Key { return lsm.Key("account/" + string(rune(n))) }
	run := []lsm.Table{
		{File: 1, Smallest: key(1), Largest: key(2), Records: 100},
		{File: 2, Smallest: key(3), Largest: key(4), Records: 0}, // range deletions
		{File: 3, Smallest: key(5), Largest: key(6), Records: 200},
		{File: 4, Smallest: lsm.Key("z"), Largest: lsm.Key("zz"), Records: 300},
	}
	tree, err := treewriter.Tree(lsm.NewShape([lsm.NumLevels][]lsm.Table{6: run}), 1)
	require.NoError(t, err)
	account := prefixOf(key(0))
	want := []dataset.Table{
		{File: 1, Level: 6, First: dataset.Prefix(account), Last: dataset.Prefix(account + 100), Keys: 100},
		{File: 2, Level: 6, First: dataset.Prefix(account + 100), Last: dataset.Prefix(account + 300), Keys: 200},
		{File: 3, Level: 6, First: dataset.Prefix(prefixOf(lsm.Key("z"))), Last: dataset.Prefix(prefixOf(lsm.Key("zz")) + 1), Keys: 300},
	}
	assert.Equal(t, want, tree.Tables)
}

// A shape that cannot be made into a tree leads to a one-line error that names the cause.
func TestShapesOfNoTree(t *testing.T) {
	table := func(file uint64, from, to string, records int64) lsm.Table {
		return lsm.Table{File: file, Smallest: lsm.Key(from), Largest: lsm.Key(to), Records: records}
	}
	one := []lsm.Table{table(7, "a", "b", 1)}
	whole := lsm.NewShape([lsm.NumLevels][]lsm.Table{5: one, 6: one})
	changed := func(change func(s *lsm.Shape)) *lsm.Shape {
		s := *whole
		s.Levels = slices.Clone(s.Levels)
		for i := range s.Levels {
			s.Levels[i].TableList = slices.Clone(s.Levels[i].TableList)
		}
		change(&s)
		return &s
	}
	run := func(tables ...lsm.Table) *lsm.Shape { return lsm.NewShape([lsm.NumLevels][]lsm.Table{6: tables}) }
	end := string(bytes.Repeat([]byte{0xff}, 8))
	for name, c := range map[string]struct {
		shape *lsm.Shape
		word  string
	}{
		"no levels":           {&lsm.Shape{}, "no tables"},
		"no records":          {run(table(7, "a", "b", 0), table(8, "c", "d", -1)), "no tables"},
		"not listed":          {changed(func(s *lsm.Shape) { s.Levels[1].TableList = nil }), "0 of 1 tables of L6"},
		"no such level":       {changed(func(s *lsm.Shape) { s.Levels[1].Level = 7 }), "L0 to L6"},
		"negative level":      {changed(func(s *lsm.Shape) { s.Levels[0].Level = -1 }), "L0 to L6"},
		"level twice":         {changed(func(s *lsm.Shape) { s.Levels[0].Level = 6 }), "L0 to L6"},
		"levels out of order": {changed(func(s *lsm.Shape) { slices.Reverse(s.Levels) }), "L0 to L6"},
		"sublevel of L6":      {changed(func(s *lsm.Shape) { s.Levels[1].TableList[0].Sublevel = 1 }), "sublevel 1 of L6"},
		"negative sublevel":   {changed(func(s *lsm.Shape) { s.Levels[0].TableList[0].Sublevel = -1 }), "sublevel -1"},
		"far sublevel": {changed(func(s *lsm.Shape) {
			s.Levels[0].Level, s.Levels[0].TableList[0].Sublevel = 0, math.MaxInt
		}), "sublevel"},
		"overlap": {run(table(7, "a", "c", 10), table(8, "b", "d", 10)), "000007 and 000008 overlap"},
		"no room": {run(table(7, "a", "b", 10), table(8, end, end, 10)), "no room for the 10 records of file 000008"},
	} {
		tree, err := treewriter.Tree(c.shape, 1)
		if err == nil {
			t.Errorf("%s: no error, tables %+v", name, tree.Tables)
			continue
		}
		if text := err.Error(); !strings.Contains(text, c.word) || !strings.Contains(text, "inspect DIR --shape") || strings.Contains(text, "\n") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
