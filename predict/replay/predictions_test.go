package replay

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/readpath"
)

// TestMeanOf: variants that differ by less than 1% have no error.
func TestMeanOf(t *testing.T) {
	counts := func(misses ...int64) (list []Counts) {
		for _, n := range misses {
			var c Counts
			c.Accesses[readpath.Data], c.Misses[readpath.Data] = 1000, n
			list = append(list, c)
		}
		return list
	}
	p := meanOf(counts(300, 500), 100)
	assert.InDelta(t, 10, p.Accesses[readpath.Data], 1e-9)
	assert.InDelta(t, 4, p.Misses[readpath.Data], 1e-9)
	if assert.NotNil(t, p.Error) {
		assert.InDelta(t, 1.41421356, *p.Error, 1e-6)
	}
	assert.Nil(t, meanOf(counts(500, 501), 100).Error)
	assert.Nil(t, meanOf(counts(500), 100).Error)
}

// TestConfidenceHoldsAnotherVariant: what a run reads whose variant was not simulated.
func TestConfidenceHoldsAnotherVariant(t *testing.T) {
	const rounds, gets = 4000, 200_000
	random, held := rand.New(rand.NewPCG(1, 1)), 0
	run := &Run{Gets: gets}
	reads := func() int64 { return int64(gets * (0.5 + 0.05*random.NormFloat64())) }
	for range rounds {
		variants := make([]Counts, 4)
		for v := range variants {
			all := reads()
			for w := range int64(windows) {
				reads := (w+1)*all/windows - w*all/windows
				variants[v].Misses[readpath.Data] += reads
				variants[v].Windows[w] += reads
			}
		}
		p, another := meanOf(variants, gets), float64(reads())/gets
		ci := run.confidence(series(variants)[0], p.Error)
		if another >= ci[0] && another <= ci[1] {
			held++
		}
	}
	assert.InDelta(t, 0.95, float64(held)/rounds, 0.015)
}

// TestWindowsHoldTheGetsThatTheyCount: also where the Gets are no multiple of the windows, or fewer.
func TestWindowsHoldTheGetsThatTheyCount(t *testing.T) {
	for _, gets := range []int64{1, 7, 19, 20, 33, 1010} {
		r := Run{Warmup: 5, Gets: gets}
		assert.Equal(t, uncounted, r.window(4))
		var counted [windows]int64
		for made := r.Warmup; made < r.Warmup+gets; made++ {
			counted[r.window(made)]++
		}
		for i, n := range counted {
			from := int64(i)
			assert.Equal(t, (from+1)*gets/windows-from*gets/windows, n, "window %d of %d Gets", i, gets)
		}
	}
}
