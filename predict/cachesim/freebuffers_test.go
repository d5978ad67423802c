package cachesim

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFreeBuffersOfProcessors: a processor takes any buffer that another has freed but the first.
func TestFreeBuffersOfProcessors(t *testing.T) {
	f := LevelDB{BlockSize: 4 << 10, Processors: 2}.buffers()
	f.random = nil
	for _, size := range []uint32{100_000, 200_000, 300_000} {
		f.put(size)
	}
	f.now = 1
	assert.EqualValues(t, 200_000, f.take(50_000), "the second of the other processor")
	assert.EqualValues(t, 300_000, f.take(50_000))
	assert.EqualValues(t, 50_000, f.take(50_000), "a new one")
	f.put(50_000)
	f.now = 0
	assert.EqualValues(t, 100_000, f.take(50_000), "its own")
}

// TestFreeBuffersAreCollected: a buffer that stays free from one collection to the next is gone.
func TestFreeBuffersAreCollected(t *testing.T) {
	f := LevelDB{BlockSize: 4 << 10}.buffers()
	f.put(100_000)
	f.collect()
	f.put(200_000)
	assert.EqualValues(t, 200_000, f.take(50_000), "freed since")
	assert.EqualValues(t, 100_000, f.take(50_000), "freed before")
	f.put(100_000)
	f.collect()
	f.collect()
	assert.EqualValues(t, 50_000, f.take(50_000), "a new one")
}

// TestLevelDBVaries: which processor runs the Gets differs between variants, and is the same in one.
func TestLevelDBVaries(t *testing.T) {
	processors := func(l Library) (list []int) {
		f := l.(LevelDB).buffers()
		for range 100 * accessesOnProcessor {
			f.decide()
			list = append(list, f.now)
		}
		return list
	}
	several := LevelDB{BlockSize: 4 << 10, Processors: 3}
	first := processors(several.Variant(1))
	assert.True(t, several.Varies())
	assert.True(t, slices.Equal(first, processors(several.Variant(1))))
	assert.False(t, slices.Equal(first, processors(several.Variant(2))))
	assert.ElementsMatch(t, []int{0, 1, 2}, slices.Compact(slices.Sorted(slices.Values(first))))
	assert.False(t, LevelDB{BlockSize: 4 << 10}.Varies())
}
