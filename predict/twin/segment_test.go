package twin

import (
	"math"
	"testing"

	"getio/tree/lsm"
	"getio/tree/readpath"
)

// unlike describes a table with nine tenths of its records in a tenth of its blocks, which are
// small.
func unlike(int, lsm.Table) []lsm.Segment {
	return []lsm.Segment{{Records: 0.9, Blocks: 0.1, BlockBytes: 2000}, {Records: 0.1, Blocks: 0.9, BlockBytes: 4222}}
}

func TestSegmentsAreAccessedByRecords(t *testing.T) {
	const gets = 200_000
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {small(1, 0, 50)}}), Options{Library: PebbleV1, BlockBytes: alike(4000), Segments: unlike})
	times, sizes := map[uint64]float64{}, map[uint64]uint32{}
	for a, n := range accesses(t, tree, Workload{Seed: 1}, gets) {
		times[a.Block], sizes[a.Block] = n, a.Size
	}
	first := uint64(indexBlock + 5)
	for block := range uint64(100) {
		want, size := 0.9/10, 2000
		if block >= 10 {
			want, size = 0.1/90, 4222
		}
		got := times[first+block]
		if math.Abs(got-want) > 5*math.Sqrt(want/gets) {
			t.Errorf("block %d is accessed by %.5f of the Gets, want %.5f", block, got, want)
		}
		if d := int(sizes[first+block]) - size; d < -1 || d > 1 {
			t.Errorf("block %d has %d bytes, want %d", block, sizes[first+block], size)
		}
	}
	// A cache of the small blocks serves nine tenths, one of all of them all.
	steady := NewSteady(tree, 0)
	if got := steady.Misses(20_000 + 12_505 + 5*100 + 50)[readpath.Data]; math.Abs(got-0.1) > 0.01 {
		t.Errorf("with the small blocks held, %.4f data blocks per Get are missed", got)
	}
	if got := steady.IOsPerGet(tree.CacheBytes()); math.Abs(got) > 1e-9 {
		t.Errorf("with all blocks held, %.4f blocks per Get are missed", got)
	}
	if got := steady.Accesses()[readpath.Index]; math.Abs(got-1) > 1e-9 {
		t.Errorf("%.4f index blocks per Get", got)
	}
}
