package geth

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFlags: a --cache of 4096 leaves 1.75 GiB for blocks.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		room, memory    int64
		cache, database int64 // 0: not possible
	}{
		{BlockBytes(DefaultStore), 0, 4096, 50},
		{BlockBytes(DefaultStore), 16 << 30, 4096, 50},
		{1 << 20, 16 << 30, 32, 50},
		{BlockBytes(3 << 30), 16 << 30, 5461, 57},
		{BlockBytes(5461 << 20), 16 << 30, 5461, 100},
		{BlockBytes(5462 << 20), 16 << 30, 0, 0},
		{1 << 20, 2 << 20, 0, 0},
	} {
		f, possible := FlagsOf(StoreMiB("pebblev2", c.room), c.memory)
		if assert.Equal(t, c.cache > 0, possible, "%+v", c) && possible {
			assert.Equal(t, Flags{c.cache, c.database}, f, "%+v", c)
			// geth leaves these flags as they are, and they give what was asked for.
			assert.True(t, c.memory == 0 || f.Cache <= c.memory>>20/3)
			assert.GreaterOrEqual(t, BlockBytes(f.Cache*f.Database/100<<20), c.room)
		}
	}
	assert.EqualValues(t, 6<<28, BlockBytes(DefaultStore))
	// Half of LevelDB's share is for blocks.
	for room, mib := range map[int64]int64{1 << 20: 16, 64 << 20: 128, 64<<20 + 1: 130} {
		assert.Equal(t, mib, StoreMiB("goleveldb", room))
	}
}
