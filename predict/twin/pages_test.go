package twin

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/workload"
)

// TestTouchedPages compares the pages that some blocks touch with a list of all of them, for blocks that are smaller and
// larger than a page, of several kinds.
func TestTouchedPages(t *testing.T) {
	var tables [lsm.NumLevels][]lsm.Table
	tables[5] = []lsm.Table{{
		Smallest: keyOf(1 << 40), Largest: keyOf(1 << 62), Records: 6000, Bytes: 400_000, DataBytes: 360_000, DataBlocks: 300,
		IndexBytes: 9000, IndexBlocks: 8, TopIndexBytes: 300, FilterBytes: 20_000,
		BlockKinds: []lsm.Segment{{Records: 0.75, Blocks: 0.5, BlockBytes: 900}, {Records: 0.25, Blocks: 0.5, BlockBytes: 3000}},
	}}
	tables[6] = []lsm.Table{{
		Smallest: keyOf(1 << 30), Largest: keyOf(1 << 63), Records: 9000, Bytes: 3_100_000, DataBytes: 3_000_000, DataBlocks: 300,
		IndexBytes: 9000, IndexBlocks: 2, TopIndexBytes: 300, FilterBytes: 20_000,
	}}
	tree := newTree(t, lsm.NewShape(tables), Options{Library: PebbleV2, BlockBytes: func(l lsm.Table) int64 { return 2 * l.DataBytes / l.DataBlocks }})
	random := rand.New(rand.NewPCG(1, 1))
	for _, share := range []float64{0, 0.01, 0.3, 1} {
		s, err := NewSimulation(tree, workload.Keys{Seed: 1}, nil)
		require.NoError(t, err)
		pages := map[[2]int]bool{}
		for i := range tree.tables {
			p, at := &tree.tables[i], 0
			block := func(number uint64, stored uint32) {
				if stored > 0 && random.Float64() < share {
					s.seen[(p.first+number)/64] |= 1 << ((p.first + number) % 64)
					for byte := range int(stored) {
						pages[[2]int{i, (at + byte) >> 12}] = true
					}
				}
				at += int(stored)
			}
			for n := range p.data {
				block(indexBlock+p.index+n, p.segmentOf(n).stored)
			}
			for n := range p.index {
				block(indexBlock+n, p.indexes.stored)
			}
			block(filterBlock, p.filter.stored)
			block(topBlock, p.top.stored)
		}
		assert.EqualValues(t, len(pages), s.touchedPages(), "%v of the blocks", share)
	}
}
