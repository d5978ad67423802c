package twin

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/workload"
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

// parseShape reads a shape from JSON, or from a line per table: level, file number, and bounds in
// hundredths of the key space. JSON behind them changes a table that is otherwise like small.
func parseShape(t *testing.T, text string) *lsm.Shape {
	t.Helper()
	if strings.HasPrefix(text, "{") {
		s := &lsm.Shape{}
		require.NoError(t, json.Unmarshal([]byte(text), s))
		return s
	}
	levels := map[int][]lsm.Table{}
	for line := range strings.Lines(text) {
		var level int
		var file, from, to uint64
		line, change, changed := strings.Cut(line, "{")
		_, err := fmt.Sscanf(line, "L%d %d %d-%d", &level, &file, &from, &to)
		require.NoError(t, err)
		table := small(file, from, to)
		if changed {
			require.NoError(t, json.Unmarshal([]byte("{"+change), &table))
		}
		levels[level] = append(levels[level], table)
	}
	return shapeOf(levels)
}

// TestTree makes trees of shapes and prints their tables. These commands read the tree before:
//
//	existing  prints the paths of Gets of a table's records, with filters that never err
//	absent    prints those of absent keys that no block ends before
func TestTree(t *testing.T) {
	var shape *lsm.Shape
	datadriven.RunTest(t, "testdata/tree", func(t *testing.T, d *datadriven.TestData) string {
		blockBytes, table := int64(4000), uint64(0)
		d.MaybeScanArgs(t, "block-bytes", &blockBytes)
		d.MaybeScanArgs(t, "table", &table)
		o := Options{Library: PebbleV1, BlockBytes: alike(blockBytes), LastLevelFilter: d.HasArg("last-level-filter")}
		if d.HasArg("v2") {
			o.Library = PebbleV2
		}
		if d.HasArg("leveldb") {
			o.Library = LevelDB(cachesim.LevelDB{BlockSize: 4 << 10})
		}
		if d.Cmd == "tree" {
			shape = parseShape(t, d.Input)
		}
		tree, err := NewTree(shape, o)
		if err != nil {
			return err.Error()
		}
		tree.err(0)
		switch d.Cmd {
		case "existing":
			return paths(func(random *wyrand.Random) []Access { return tree.Existing(nil, 1000*table+random.Below(1000), random) })
		case "absent":
			for i := range tree.tables {
				tree.tables[i].pastLast = 0
			}
			return paths(func(random *wyrand.Random) []Access { return tree.Absent(nil, 1000*table+random.Below(1000), random) })
		}
		return describe(tree)
	})
}

// paths lists the components of all different paths of Gets.
func paths(get func(*wyrand.Random) []Access) string {
	random := wyrand.New(1)
	list := map[string]bool{}
	for range 5000 {
		list[names(get(random))] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(list)), "\n")
}

// names lists the components of accesses, such as "top_index filter".
func names(accesses []Access) string {
	var list []string
	for _, a := range accesses {
		list = append(list, a.Component.String())
	}
	return strings.Join(list, " ")
}

// describe lists the tables of a tree with the records that Gets find and the data blocks.
func describe(tree *Tree) string {
	var b strings.Builder
	for i, p := range tree.tables {
		fmt.Fprintf(&b, "%06d: %g records", p.file, tree.foundIn(i))
		for _, s := range p.segments {
			fmt.Fprintf(&b, ", %d blocks of %d bytes", s.blocks, s.size)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// err sets the false-positive rate of all filters.
func (t *Tree) err(share float64) {
	for i := range t.tables {
		t.tables[i].falsePositive = share
	}
}

// TestFalsePositives: they lead to data blocks of tables that lack the key, and to the first block
// of a table that begins beyond the key.
func TestFalsePositives(t *testing.T) {
	tree := newTree(t, threeRuns(), plainV1)
	tree.err(1)
	random := wyrand.New(1)
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

// TestKeysBeyondTheLastOfABlock: they are also looked up in the next block.
func TestKeysBeyondTheLastOfABlock(t *testing.T) {
	const gets = 100_000
	tree := newTree(t, threeRuns(), plainV1)
	tree.err(0)
	for i := range tree.tables {
		tree.tables[i].pastLast = 0.1
	}
	twice, index := 0, 0
	random := wyrand.New(1)
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
	simulated := 0.0
	for a, n := range accesses(t, tree, workload.Keys{Seed: 2, Absent: 1}, gets) {
		if a.Component == readpath.Data {
			simulated += n
		}
	}
	if data := NewSteady(tree, 1).Accesses()[readpath.Data]; math.Abs(data-simulated) > 0.02 {
		t.Errorf("%.4f data blocks per Get computed, simulated %.4f", data, simulated)
	}
}

// accesses simulates Gets and returns how often each makes each access, on average.
func accesses(t *testing.T, tree *Tree, keys workload.Keys, gets int) map[Access]float64 {
	t.Helper()
	g, err := newGets(tree, keys)
	require.NoError(t, err)
	times := map[Access]float64{}
	for range gets {
		for _, a := range g.next(nil) {
			times[a] += 1 / float64(gets)
		}
	}
	return times
}

// TestBlocksOfATable: gets access all blocks of a table equally often, and no block of another.
func TestBlocksOfATable(t *testing.T) {
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {small(1, 0, 30), small(2, 31, 70)}}), Options{Library: PebbleV2, BlockBytes: alike(4000)})
	random, counts := wyrand.New(1), map[Access]int{}
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
			t.Errorf("%s block %d of %d bytes was accessed %d times", a.Component, a.Block, a.Size, n)
		}
		if a.Block < 107 || a.Block >= tree.Blocks() {
			t.Errorf("block %d is another table's", a.Block)
		}
	}
	for component, w := range want {
		assert.Equal(t, w.blocks, got[component], "blocks of %s", component)
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
	require.NoError(t, err)
	return tree
}

// alike are data blocks of one size in all tables.
func alike(bytes int64) func(lsm.Table) int64 {
	return func(lsm.Table) int64 { return bytes }
}
