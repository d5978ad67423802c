package twin

import (
	"math"
	"testing"

	"getio/tree/lsm"
	"getio/tree/readpath"
)

// unlike is a table of which nine tenths of the records lie in a tenth of the
// blocks, which are small.
func unlike(int, lsm.Table) []lsm.Segment {
	return []lsm.Segment{{Records: 0.9, Blocks: 0.1, BlockBytes: 2000}, {Records: 0.1, Blocks: 0.9, BlockBytes: 4222}}
}

func TestSegmentsAreAccessedByRecords(t *testing.T) {
	const gets = 200_000
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {small(1, 0, 50)}}), Options{BlockBytes: alike(4000), Segments: unlike})
	times := map[uint64]int{}
	sizes := map[uint64]uint32{}
	random := NewRandom(1)
	var accesses []Access
	for range gets {
		accesses = tree.Existing(accesses[:0], random.Below(tree.Records()), random)
		data := accesses[len(accesses)-1]
		times[data.Block]++
		sizes[data.Block] = data.Size
	}
	first := uint64(indexBlock + 5)
	for block := range uint64(100) {
		want, size := 0.9/10, 2000
		if block >= 10 {
			want, size = 0.1/90, 4222
		}
		got := float64(times[first+block]) / gets
		if math.Abs(got-want) > 5*math.Sqrt(want/gets) {
			t.Errorf("block %d is asked for by %.5f of the Gets, not %.5f", block, got, want)
		}
		if d := int(sizes[first+block]) - size; d < -1 || d > 1 {
			t.Errorf("block %d has %d bytes, not %d", block, sizes[first+block], size)
		}
	}
	// A cache of the small blocks serves nine tenths, one of all of them all.
	steady := NewSteady(tree, 0)
	if got := steady.Misses(20_000 + 12_505 + 5*100 + 50)[readpath.Data]; math.Abs(got-0.1) > 0.01 {
		t.Errorf("with the small blocks held, %.4f data blocks per Get are missed", got)
	}
	if got := steady.IOsPerGet(tree.CacheBytes()); math.Abs(got) > 1e-9 {
		t.Errorf("with all blocks held, %.4f are missed", got)
	}
	if got := steady.Accesses()[readpath.Index]; math.Abs(got-1) > 1e-9 {
		t.Errorf("%.4f index blocks per Get", got)
	}
}

func TestTooFewBlocksForSegments(t *testing.T) {
	one := small(1, 0, 50)
	one.DataBlocks, one.IndexBlocks, one.IndexBytes = 1, 0, 0
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {one}}), Options{BlockBytes: alike(4000), Segments: unlike})
	if got := tree.tables[0].segments; len(got) != 1 || got[0].blocks != 1 || got[0].size != 4000 {
		t.Errorf("segments %+v", got)
	}
}

// TestWeights: of two tables with as many records, one is found in three times as often.
func TestWeights(t *testing.T) {
	weight := func(_ int, l lsm.Table) float64 { return map[uint64]float64{1: 1.5, 2: 0.5}[l.File] }
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {small(1, 0, 30), small(2, 31, 70)}}), Options{BlockBytes: alike(4000), Weight: weight})
	if tree.Records() != 2000 || tree.before[1] != 1500 {
		t.Errorf("%d records, the first table has %d", tree.Records(), tree.before[1])
	}
}

func TestSegmentsScaleWithBlockSize(t *testing.T) {
	shape := shapeOf(map[int][]lsm.Table{6: {small(1, 0, 50)}})
	tree := newTree(t, shape, Options{BlockBytes: alike(4000), Segments: unlike})
	other, err := tree.Other(shape, alike(8000), false)
	require(t, err)
	if got := other.tables[0].segments; len(got) != 2 || got[0].size != 4000 || got[1].size != 8444 {
		t.Errorf("segments %+v", got)
	}
	if got := tree.tables[0].segments; got[0].size != 2000 {
		t.Errorf("the tree itself has changed: %+v", got)
	}
}
