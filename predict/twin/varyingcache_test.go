package twin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/predict/cachesim"
)

// TestVaryingCache: a run's misses are the mean of the variants, with their standard deviation.
func TestVaryingCache(t *testing.T) {
	variants := []*ownCache{{}, {}}
	k := varyingCache{variants[0], variants[1]}
	for i, misses := range []int64{10, 30} {
		variants[i].misses[readpath.Data], variants[i].bytes[readpath.Data] = misses, 1000*misses
	}
	c := Counts{Gets: 100}
	k.estimate(&c)
	assert.InDelta(t, 20, c.Misses[readpath.Data], 1e-9)
	assert.InDelta(t, 20_000, c.MissBytes[readpath.Data], 1e-9)
	assert.InDelta(t, 14.142, c.MissError, 1e-3)
	k.begin()
	assert.Zero(t, variants[1].misses.Sum())
}

// TestPlacementsVary: where shards have few index blocks, random placements of them are simulated.
func TestPlacementsVary(t *testing.T) {
	tree := newTree(t, threeRuns(), plainV1) // 30 index blocks
	for cache, want := range map[Cache]bool{
		{cachesim.NameClockPro, 1 << 20, 4, 4}: true, {cachesim.NameClockPro, 1 << 20, 4, 2}: false, {cachesim.NameClockPro, 1 << 20, 1, 1}: false,
	} {
		k, err := tree.newCache(cache)
		require.NoError(t, err)
		_, varies := k.(varyingCache)
		assert.Equal(t, want, varies, cache)
	}
}

// TestErrorOf: variants that differ by less than 1% have no error; a sample of shards always has one.
func TestErrorOf(t *testing.T) {
	counts := func(off float64) *Counts {
		c := &Counts{Gets: 100, MissError: off}
		c.Misses[readpath.Data] = 200
		return c
	}
	all := Prediction{Cache: Cache{Shards: 1, Sampled: 1}}
	assert.Nil(t, all.errorOf(counts(1.9)))
	if off := all.errorOf(counts(2.1)); assert.NotNil(t, off) {
		assert.InDelta(t, 0.021, *off, 1e-9)
	}
	some := Prediction{Cache: Cache{Shards: 8, Sampled: 4}}
	assert.NotNil(t, some.errorOf(counts(0.1)))
}

// TestLevelDBsCacheVaries: with several processors, LevelDB's cache is simulated in variants.
func TestLevelDBsCacheVaries(t *testing.T) {
	for _, c := range []struct {
		processors int
		varies     bool
	}{{0, false}, {2, true}} {
		tree := &Tree{opts: Options{Library: LevelDB(cachesim.LevelDB{BlockSize: 4 << 10, Processors: c.processors})}}
		k, err := tree.newOwnCache(Cache{Policy: "lru", Bytes: 1 << 20, Shards: 1, Sampled: 1})
		require.NoError(t, err)
		_, varies := k.(varyingCache)
		assert.Equal(t, c.varies, varies)
	}
}
