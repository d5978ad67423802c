package replay

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/predict/cachesim"
)

// TestEstimateMixedWidths requires the number of blocks and of their accesses from samples of a table of
// which one part has a block for each neighbourhood, and the other has one for five.
func TestEstimateMixedWidths(t *testing.T) {
	const (
		rate, draws       = 1.0 / 16, 20
		ones, fives, five = 2000, 600, 5
	)
	random := rand.New(rand.NewPCG(5, 5))
	var blocks, accesses float64
	for range draws {
		s := &sample{Recording: &Recording{levels: map[uint64]int{1: 5}}}
		for in := range ones + fives*five {
			block := in
			if in >= ones {
				block = ones + (in-ones)/five
			}
			if random.Float64() < rate {
				s.accesses = append(s.accesses, cachesim.Block{Number: uint64(block), File: 1, Offset: int64(block) << 12, Stored: 1 << 12, Component: readpath.Data})
				s.ends = append(s.ends, len(s.accesses))
				s.in = append(s.in, int64(in)+1)
			}
		}
		require.NotEmpty(t, s.ends)
		for _, b := range s.blocks(rate, -1) {
			weight := 1 / (b.repeat * rate)
			blocks += weight / draws
			accesses += weight * float64(b.accesses) * (1 + b.extra) / draws
		}
	}
	assert.InEpsilon(t, ones+fives, blocks, 0.05)
	assert.InEpsilon(t, ones+fives*five, accesses, 0.05)
}

// TestEstimateUnasked: beside a block lie several neighbourhoods, of which one is asked for. There are few such blocks,
// so that chance decides how often two of a block's neighbourhoods are in the sample.
func TestEstimateUnasked(t *testing.T) {
	const (
		rate, draws          = 1.0 / 16, 200
		blocks, wide, beside = 2000, 160, 3
	)
	random := rand.New(rand.NewPCG(5, 5))
	var counted float64
	for range draws {
		s := &sample{Recording: &Recording{levels: map[uint64]int{1: 5}}}
		for block := range blocks + wide {
			in := block
			if block >= blocks {
				in = blocks + (block-blocks)*beside + random.IntN(beside)
			}
			if random.Float64() < rate {
				s.accesses = append(s.accesses, cachesim.Block{Number: uint64(block), File: 1, Offset: int64(block) << 12, Stored: 1 << 12, Component: readpath.Data})
				s.ends = append(s.ends, len(s.accesses))
				s.in = append(s.in, int64(in)+1)
			}
		}
		for number, b := range s.blocks(rate, -1) {
			if number >= blocks {
				counted += 1 / (b.repeat * rate) / draws
			}
		}
	}
	assert.InEpsilon(t, wide, counted, 0.1)
}

// TestEstimateUnknownWidth: a filter that is alone in its table has no width, and speaks for itself at all rates.
func TestEstimateUnknownWidth(t *testing.T) {
	for _, one := range []float64{3, 7, 10, 16, 24} {
		k := &common{blocks: 1, in: 4}
		for _, share := range []float64{0, 1e-18, 0.3} {
			assert.Equal(t, neighbourhoodsOf(4, 1/one), k.neighbourhoods(share, 1/one), "one in %v, a share of %v", one, share)
		}
	}
}
