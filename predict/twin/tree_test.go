package twin

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"getio/tree/lsm"
	"getio/tree/readpath"
)

// at returns the key at the given hundredths of the key space.
func at(hundredths uint64) lsm.Key { return keyOf(hundredths * (1 << 63 / 50)) }

func keyOf(prefix uint64) lsm.Key { return binary.BigEndian.AppendUint64(nil, prefix) }

// small is a table of 1000 records in 100 data blocks and 5 index blocks.
func small(file uint64, from, to uint64) lsm.Table {
	return lsm.Table{
		File: file, Smallest: at(from), Largest: at(to), Records: 1000, DataBlocks: 100,
		IndexBlocks: 5, IndexBytes: 500, TopIndexBytes: 50, FilterBytes: 12_505,
	}
}

func shapeOf(levels map[int][]lsm.Table) *lsm.Shape {
	var tables [lsm.NumLevels][]lsm.Table
	for level, list := range levels {
		tables[level] = list
	}
	return lsm.NewShape(tables)
}

// threeRuns has records in L0, L5 and L6; L5 has a gap from 40 to 60.
func threeRuns() *lsm.Shape {
	return shapeOf(map[int][]lsm.Table{
		0: {small(9, 0, 50)},
		5: {small(7, 10, 40), small(8, 60, 90)},
		6: {small(1, 0, 30), small(2, 31, 70), small(3, 71, 99)},
	})
}

// names lists the components of accesses, such as "top_index filter".
func names(accesses []Access) string {
	var list []string
	for _, a := range accesses {
		list = append(list, a.Component.String())
	}
	return strings.Join(list, " ")
}

// TestPathsOfGets: all paths of Gets of the records of one table.
func TestPathsOfGets(t *testing.T) {
	const above, found, last = "top_index filter", "top_index filter index data", "top_index index data"
	for _, c := range []struct {
		name    string
		library Library
		table   int // in the order of visits: L0, then L5, then L6
		want    []string
	}{
		{"L0 comes first", PebbleV1, 0, []string{found}},
		// Records of 10 to 40 lie below L0, records of 60 to 90 behind its end.
		{"L5 below L0", PebbleV1, 1, []string{above + " " + found}},
		{"L5 behind L0", PebbleV1, 2, []string{found}},
		// Of 0 to 30: L0, and L5's first table, before which 0 to 10 lie.
		{"before a table, v1 asks it", PebbleV1, 3, []string{above + " " + above + " " + last}},
		{"before a table, v2 skips it", PebbleV2, 3, []string{above + " " + above + " " + last, above + " " + last}},
		// Of 71 to 99: 90 to 99 are behind all of L5.
		{"behind a run", PebbleV1, 5, []string{above + " " + last, last}},
	} {
		tree := newTree(t, threeRuns(), Options{Library: c.library, BlockBytes: alike(4000)})
		tree.err(0)
		random := NewRandom(1)
		var got []string
		for range 5000 {
			way := names(tree.Existing(nil, uint64(1000*c.table)+random.Below(1000), random))
			if !slices.Contains(got, way) {
				got = append(got, way)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// err sets the false-positive rate of all filters.
func (t *Tree) err(share float64) {
	for i := range t.tables {
		t.tables[i].falsePositive = share
	}
}

// TestFalsePositives: they lead to tables that lack the key: also to the first block of one
// that begins beyond it.
func TestFalsePositives(t *testing.T) {
	tree := newTree(t, threeRuns(), plainV1)
	tree.err(1)
	random := NewRandom(1)
	for range 1000 {
		// L6's second table begins at 31; all above 50 is behind L0, and what lies
		// between 40 and 60 is before L5's second table.
		got := tree.Existing(nil, 4000+random.Below(1000), random)
		first := &tree.tables[2]
		for _, a := range got {
			if a.Component == readpath.Data && a.Block == first.first+indexBlock+first.index {
				return
			}
		}
		if way := names(got); !strings.HasPrefix(way, "top_index filter index data") {
			t.Fatal(way)
		}
	}
	t.Error("no Get reached the first data block of the table behind a gap")
}

// TestAbsentKeys: they visit every run, and the data of the last.
func TestAbsentKeys(t *testing.T) {
	for _, filtered := range []bool{false, true} {
		tree := newTree(t, threeRuns(), Options{Library: PebbleV1, BlockBytes: alike(4000), LastLevelFilter: filtered})
		tree.err(0)
		for i := range tree.tables {
			tree.tables[i].pastLast = 0
		}
		want := "top_index filter top_index filter top_index index data"
		if filtered {
			want = "top_index filter top_index filter top_index filter"
		}
		random := NewRandom(1)
		for range 1000 {
			// Records of 10 to 40, which lie within all three runs.
			if got := names(tree.Absent(nil, 1000+random.Below(1000), random)); got != want {
				t.Fatalf("last level filtered: %v: %s, want %s", filtered, got, want)
			}
		}
	}
}

// TestKeysBeyondTheLastOfABlock: they are also looked up in the next block.
func TestKeysBeyondTheLastOfABlock(t *testing.T) {
	const gets = 100_000
	tree := newTree(t, threeRuns(), plainV1)
	tree.err(0)
	for i := range tree.tables {
		tree.tables[i].pastLast = 0.1
	}
	twice, index := 0, 0
	random := NewRandom(1)
	for range gets {
		got := tree.Absent(nil, 1000+random.Below(1000), random)
		last := got[5:] // behind the visits of the two runs above, and the top index
		switch way := names(last); way {
		case "index data":
		case "index data data", "index data index data":
			twice++
			if way != "index data data" {
				index++
			}
			if last[len(last)-1].Block != last[1].Block+1 {
				t.Fatalf("block %d after %d", last[len(last)-1].Block, last[1].Block)
			}
		default:
			t.Fatal(way)
		}
	}
	// The last block has none behind it; of 100, every twentieth ends an index block.
	if share := float64(twice) / gets; math.Abs(share-0.099) > 0.004 {
		t.Errorf("%.4f of the Gets read two data blocks", share)
	}
	if share := float64(index) / float64(twice); math.Abs(share-4.0/99) > 0.01 {
		t.Errorf("%.4f of these read two index blocks", share)
	}
	if data := NewSteady(tree, 1).Accesses()[readpath.Data]; math.Abs(data-float64(countData(tree, gets))/gets) > 0.02 {
		t.Errorf("%.4f data blocks per Get worked out, simulated %.4f", data, float64(countData(tree, gets))/gets)
	}
}

// countData counts the data blocks that Gets of absent keys ask for.
func countData(tree *Tree, gets int) (n int) {
	random := NewRandom(2)
	var accesses []Access
	for range gets {
		accesses = tree.Absent(accesses[:0], random.Below(tree.Records()), random)
		for _, a := range accesses {
			if a.Component == readpath.Data {
				n++
			}
		}
	}
	return n
}

// TestBlocksOfATable: gets access all blocks of a table equally often, and no block of
// another.
func TestBlocksOfATable(t *testing.T) {
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {small(1, 0, 30), small(2, 31, 70)}}), Options{Library: PebbleV2, BlockBytes: alike(4000)})
	random, counts := NewRandom(1), map[Access]int{}
	for record := range uint64(1000) {
		for range 10 {
			for _, a := range tree.Existing(nil, 1000+record, random) {
				counts[a]++
			}
		}
	}
	want := map[readpath.Component]struct {
		blocks int
		size   uint32
	}{readpath.TopIndex: {1, 386}, readpath.Index: {5, 436}, readpath.Data: {100, 4336}}
	got := map[readpath.Component]int{}
	for a, n := range counts {
		got[a.Component]++
		if a.Size != want[a.Component].size || n != 10_000/want[a.Component].blocks {
			t.Errorf("%s block %d of %d bytes was asked for %d times", a.Component, a.Block, a.Size, n)
		}
		if a.Block < 107 || a.Block >= tree.Blocks() {
			t.Errorf("block %d is another table's", a.Block)
		}
	}
	for component, w := range want {
		if got[component] != w.blocks {
			t.Errorf("%d blocks of %s, want %d", got[component], component, w.blocks)
		}
	}
}

func TestInvalidShapes(t *testing.T) {
	broken := func(change func(*lsm.Table)) *lsm.Shape {
		table := small(4, 10, 20)
		change(&table)
		return shapeOf(map[int][]lsm.Table{6: {table}})
	}
	for want, shape := range map[string]*lsm.Shape{
		"no records":                               {},
		"lists 0 of 1 tables of L6":                {Levels: []lsm.Level{{Level: 6, Tables: 1}}},
		"file 000002 begins before the table befo": shapeOf(map[int][]lsm.Table{6: {small(1, 0, 30), small(2, 29, 70)}}),
		"1000 records in 0 data blocks":            broken(func(l *lsm.Table) { l.DataBlocks = 0 }),
		"1000 records in 1001 data blocks":         broken(func(l *lsm.Table) { l.DataBlocks = 1001 }),
		"-1 records":                               broken(func(l *lsm.Table) { l.Records = -1 }),
		"a top index of 0 bytes":                   broken(func(l *lsm.Table) { l.TopIndexBytes = 0 }),
		"101 index blocks of 500 bytes":            broken(func(l *lsm.Table) { l.IndexBlocks = 101 }),
		"5 index blocks of 4 bytes":                broken(func(l *lsm.Table) { l.IndexBytes = 4 }),
		"a filter of -1 bytes":                     broken(func(l *lsm.Table) { l.FilterBytes = -1 }),
		"4 GiB":                                    broken(func(l *lsm.Table) { l.FilterBytes = 1 << 32 }),
		"before its smallest":                      broken(func(l *lsm.Table) { l.Largest = at(9) }),
	} {
		if _, err := NewTree(shape, plainV1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := NewTree(threeRuns(), Options{BlockBytes: alike(0)}); err == nil {
		t.Error("data blocks of no size are taken")
	}
}

// Options of Pebble v1 with data blocks of one size: 4,000 bytes, or those of the published trees.
var (
	plainV1     = Options{Library: PebbleV1, BlockBytes: alike(4000)}
	publishedV1 = Options{Library: PebbleV1, BlockBytes: alike(4036)}
)

func newTree(t testing.TB, s *lsm.Shape, o Options) *Tree {
	t.Helper()
	tree, err := NewTree(s, o)
	require(t, err)
	return tree
}

func require(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// alike are data blocks of one size in all tables.
func alike(bytes int64) func(lsm.Table) int64 {
	return func(lsm.Table) int64 { return bytes }
}
