package replay

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/predict/cachesim"
	"getio/tree/readpath"
)

func TestWithVariants(t *testing.T) {
	caches := []Cache{{Bytes: 1}, {Bytes: 2}}
	all, each := withVariants(cachesim.PebbleV1, caches)
	assert.Equal(t, caches, all)
	assert.Equal(t, 1, each)
	all, each = withVariants(cachesim.LevelDB{}, caches)
	assert.Equal(t, caches, all)
	assert.Equal(t, 1, each)
	all, each = withVariants(cachesim.LevelDB{Processors: 2}, caches)
	assert.Equal(t, cachesim.Variants, each)
	assert.Len(t, all, 2*cachesim.Variants)
	assert.Equal(t, Cache{Bytes: 2, variant: 1}, all[cachesim.Variants+1])
}

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
