package twin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/workload"
)

// unlike has nine tenths of a table's records in a tenth of its blocks, which are small.
var unlike = []lsm.Segment{{Records: 0.9, Blocks: 0.1, BlockBytes: 2000}, {Records: 0.1, Blocks: 0.9, BlockBytes: 4222}}

func TestSegmentsAreAccessedByRecords(t *testing.T) {
	const gets = 200_000
	table := small(1, 0, 50)
	table.BlockKinds = unlike
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {table}}), Options{Library: PebbleV1, BlockBytes: alike(4000)})
	times, sizes := map[uint64]float64{}, map[uint64]uint32{}
	for a, n := range accesses(t, tree, workload.Keys{Seed: 1}, gets) {
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

// TestBlocksAreStoredInTheirSegmentsSize: also the block behind that in which an absent key is looked up.
func TestBlocksAreStoredInTheirSegmentsSize(t *testing.T) {
	table := small(1, 0, 50)
	table.BlockKinds = unlike
	tree := newTree(t, shapeOf(map[int][]lsm.Table{6: {table}}), Options{Library: PebbleV1, BlockBytes: alike(4000)})
	p := &tree.tables[0]
	p.pastLast = 1
	random, borders := wyrand.New(1), 0
	for range 10_000 {
		before := uint64(0)
		for _, a := range tree.Absent(nil, 0, random) {
			if a.Component != readpath.Data {
				continue
			}
			n := a.Block - p.first - indexBlock - p.index
			want := p.segments[0].stored
			if n >= p.segments[1].first {
				want = p.segments[1].stored
			}
			require.Equal(t, want, p.cached(&a).Stored, "block %d", n)
			if n == p.segments[1].first && before == n-1 {
				borders++
			}
			before = n
		}
	}
	assert.NotZero(t, borders)
}

// TestBlocksDifferInLiveRecords compares the shares of Gets in eighths of the blocks with those of blocks whose records
// are drawn one by one.
func TestBlocksDifferInLiveRecords(t *testing.T) {
	const blocks = 80_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		records int
		found   float64
	}{{30, 0.6}, {30, 0.05}, {3, 0.5}, {200, 0.9}, {1, 0.2}} {
		live, all := make([]int, blocks), 0
		for i := range live {
			for range c.records {
				if random.Float64() < c.found {
					live[i]++
				}
			}
			all += live[i]
		}
		slices.Sort(live)
		counts := newLiveCounts(float64(c.records), c.found)
		for g := range liveGroups {
			sum := 0
			for _, n := range live[g*blocks/liveGroups : (g+1)*blocks/liveGroups] {
				sum += n
			}
			assert.InDelta(t, float64(sum)/float64(all), counts.share(g), 0.003, "%v, group %d", c, g)
		}
		gets := [liveGroups]float64{}
		s := segment{records: 1, blocks: 10*liveGroups + 3, live: counts}
		for range blocks {
			if n := s.block(random.Float64(), true); n < 10*liveGroups {
				gets[n%liveGroups]++
			}
		}
		for g := range liveGroups {
			assert.InDelta(t, counts.share(g)*10*liveGroups/(10*liveGroups+3), gets[g]/blocks, 0.01, "%v, group %d", c, g)
		}
	}
	for _, alike := range []float64{0, 1} {
		assert.Nil(t, newLiveCounts(30, alike))
	}
}
