package cachesim

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPoolOfProcessors: a processor cannot take the private buffer of another, but its shared ones.
func TestPoolOfProcessors(t *testing.T) {
	p := LevelDB{BlockSize: 4 << 10, Processors: 2}.newPool()
	for _, size := range []uint32{100_000, 200_000, 300_000} {
		p.put(size)
	}
	p.processor = 1
	assert.EqualValues(t, 200_000, p.get(50_000))
	assert.EqualValues(t, 300_000, p.get(50_000))
	assert.EqualValues(t, 50_000, p.get(50_000), "a new buffer")
	p.put(50_000)
	p.processor = 0
	assert.EqualValues(t, 100_000, p.get(50_000), "its private buffer")
}

// TestPoolIsCollected: a buffer that is not used between two garbage collections is dropped.
func TestPoolIsCollected(t *testing.T) {
	p := LevelDB{BlockSize: 4 << 10}.newPool()
	p.put(100_000)
	p.collect()
	p.put(200_000)
	assert.EqualValues(t, 200_000, p.get(50_000))
	assert.EqualValues(t, 100_000, p.get(50_000), "from before the collection")
	p.put(100_000)
	p.collect()
	p.collect()
	assert.EqualValues(t, 50_000, p.get(50_000), "a new buffer")
}

// TestVariantsOf: the variants of LevelDB differ in which processor runs the Gets and how long, and each can be repeated.
func TestVariantsOf(t *testing.T) {
	processors := func(l Library) (list []int) {
		p := l.(LevelDB).newPool()
		for range 100 * accessesOnProcessor[0] {
			p.advance()
			list = append(list, p.processor)
		}
		return list
	}
	variants := VariantsOf(LevelDB{BlockSize: 4 << 10, Processors: 3}, 1, false)
	assert.Len(t, variants, variantsOfLibrary)
	first := processors(variants[0])
	assert.True(t, slices.Equal(first, processors(variants[0])))
	assert.False(t, slices.Equal(first, processors(variants[1])))
	assert.ElementsMatch(t, []int{0, 1, 2}, slices.Compact(slices.Sorted(slices.Values(first))))
	assert.Greater(t, len(slices.Compact(first)), 10*len(slices.Compact(processors(variants[1]))))
	for _, l := range []Library{LevelDB{BlockSize: 4 << 10}, PebbleV1} {
		assert.Len(t, VariantsOf(l, 64, false), 1)
	}
	for _, l := range []Library{RocksDB{}, HyperClock{EntryCharge: 4 << 10}} {
		assert.Len(t, VariantsOf(l, 1, false), 1, "of one shard, which block lies where is known")
		variants := VariantsOf(l, 4, false)
		assert.Len(t, variants, variantsOfLibrary)
		together := [2]int{} // pairs of neighbours that share a shard
		for offset := range int64(1000) {
			a, b := Block{File: 9, Offset: offset << 12}, Block{File: 9, Offset: (offset + 1) << 12}
			for i := range together {
				if variants[i].ShardOf(a, 4) == variants[i].ShardOf(b, 4) {
					together[i]++
				}
			}
		}
		assert.NotEqual(t, together[0], together[1], "shards are not only named otherwise")
	}
}
