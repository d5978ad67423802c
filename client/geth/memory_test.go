package geth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFlags: a --cache of 4096 leaves 1.5 GiB for blocks.
func TestFlags(t *testing.T) {
	pebble := StoreOf("pebblev2")
	for _, c := range []struct {
		blocks, memory  int64
		cache, database int64 // 0: not possible
	}{
		{pebble.BlockBytes(DefaultStore), 0, 4096, 50},
		{pebble.BlockBytes(DefaultStore), 16 << 30, 4096, 50},
		{1 << 20, 16 << 30, 32, 50},
		{pebble.BlockBytes(3 << 30), 16 << 30, 5461, 57},
		{pebble.BlockBytes(5461 << 20), 16 << 30, 5461, 100},
		{pebble.BlockBytes(5462 << 20), 16 << 30, 0, 0},
		{1 << 20, 2 << 20, 0, 0},
	} {
		f, possible := FlagsOf(pebble.MiB(c.blocks), c.memory)
		if assert.Equal(t, c.cache > 0, possible, "%+v", c) && possible {
			assert.Equal(t, Flags{c.cache, c.database}, f, "%+v", c)
			// geth leaves these flags as they are, and they give what was asked for.
			assert.True(t, c.memory == 0 || f.Cache <= c.memory>>20/3)
			assert.GreaterOrEqual(t, pebble.BlockBytes(f.Cache*f.Database/100<<20), c.blocks)
		}
	}
	// Half of LevelDB's share is for blocks.
	for blocks, mib := range map[int64]int64{1 << 20: 16, 64 << 20: 128, 64<<20 + 1: 130} {
		assert.Equal(t, mib, StoreOf("goleveldb").MiB(blocks))
	}
}

// TestStores: what a --cache leaves for blocks depends on the version, and on what the client has written so far.
func TestStores(t *testing.T) {
	for name, c := range map[string]struct {
		store                   Store
		least, usual, default4k int64 // for --cache 16, 32, 4096, in MiB
	}{
		"geth 1.13 to 1.15":  {Store{Share: 2. / 4}, 8, 8, 1024},
		"geth 1.16, op-geth": {Store{Share: 2. / 8}, 12, 12, 1536},
		"LevelDB":            {StoreOf("goleveldb"), 8, 8, 1024},
		"first memtable":     {Store{Share: 2. / 8, Small: 3 << 19}, 14, 14, 2046},
	} {
		assert.Equal(t, c.least, c.store.CacheBytes(16)>>20, name)
		assert.Equal(t, c.usual, c.store.CacheBytes(32)>>20, name)
		assert.Equal(t, c.default4k, c.store.CacheBytes(4096)>>20, name)
		for _, cache := range []int64{32, 100, 4096} {
			f, _ := FlagsOf(c.store.MiB(c.store.CacheBytes(cache)), 0)
			assert.Equal(t, cache, f.Cache, name)
		}
	}
	assert.EqualValues(t, 1706, Store{Share: 2. / 12}.CacheBytes(4096)>>20, "another share")
}

func TestFlagsIn(t *testing.T) {
	for args, want := range map[string]Flags{
		"geth":                     {0, 50},
		"geth --cache 4096 --http": {4096, 50},
		"geth -cache=1024 --cache.database=75 --cache.gc 5": {1024, 75},
		"geth --datadir cache 7 --cache":                    {0, 50},
	} {
		f, given := FlagsIn(strings.Fields(args))
		assert.Equal(t, want, f, args)
		assert.Equal(t, want.Cache > 0, given, args)
	}
	assert.EqualValues(t, 768<<20, Flags{1024, 75}.StoreBytes(0))
	assert.EqualValues(t, 255<<20, Flags{1024, 75}.StoreBytes(1<<30), "geth lowers --cache to 341")
	assert.EqualValues(t, 16<<20, Flags{10, 50}.StoreBytes(0))
}
