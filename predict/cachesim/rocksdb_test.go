package cachesim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
	"getio/engine/readpath"
)

// TestRocksDBPools: predict/replay compares the simulation with the library itself; these are the rules
// of the pools one by one. Every block takes 1,000 bytes of 4,000.
func TestRocksDBPools(t *testing.T) {
	made, err := RocksDB{}.New(4000, 0, 1)
	require.NoError(t, err)
	contents := 1000 - rocksDBBlock - rocksDBHandle // malloc gives exactly that
	for i, step := range []struct {
		component readpath.Component
		file      uint64
		hit       bool
	}{
		{readpath.Data, 1, false},
		{readpath.TopIndex, 2, false},
		{readpath.Data, 3, false},
		{readpath.Data, 4, false},
		{readpath.Data, 5, false}, // evicts data 1
		{readpath.TopIndex, 2, true},
		{readpath.Data, 3, true},  // a block that was hit enters the upper pool
		{readpath.Data, 6, false}, // evicts data 4
		{readpath.Data, 7, false}, // evicts data 5
		{readpath.TopIndex, 2, true},
		{readpath.Data, 3, true},
		{readpath.TopIndex, 8, false}, // evicts data 6; the upper pool overflows by 2
		{readpath.Data, 9, false},     // evicts data 7
		{readpath.Data, 10, false},    // evicts 2, which sank
		{readpath.TopIndex, 2, false},
	} {
		// Each is in a table of its own, so that it is released before the next.
		hit := made.Access(Block{Number: step.file, File: step.file, Stored: contents + blockformat.TrailerLen + 1, Size: contents, Component: step.component})
		assert.Equal(t, step.hit, hit, "step %d", i)
	}
}

// TestRocksDBHoldsBlocks: what a Get holds is not evicted, even beyond the capacity.
func TestRocksDBHoldsBlocks(t *testing.T) {
	made, err := RocksDB{}.New(2000, 0, 1)
	require.NoError(t, err)
	c := made.(*rocksDBCache)
	numbers := Numbers{}
	access := func(component readpath.Component, file uint64, offset int64) bool {
		return made.Access(Block{
			Number: numbers.Of(file, offset), File: file, Offset: offset, Stored: 900, Size: 800, Component: component,
			TopFilter: component == readpath.Filter && offset == 0, Found: component == readpath.Data,
		})
	}
	for offset, component := range []readpath.Component{readpath.Filter, readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		assert.False(t, access(component, 1, int64(offset)))
	}
	assert.Len(t, c.held, 3, "top index, index and data")
	assert.Greater(t, c.shards[0].(*lruShard).bytes(), int64(2000))
	assert.False(t, access(readpath.Filter, 2, 0))
	assert.LessOrEqual(t, c.shards[0].(*lruShard).bytes(), int64(2000), "the index was dropped when it was released, and the data block evicted")
	assert.True(t, access(readpath.TopIndex, 1, 2))
}

// TestRocksDBHoldsIndexBlocks: a Get holds the top index and the index block while it reads a second data block, and
// the top index while it reads a second index block.
func TestRocksDBHoldsIndexBlocks(t *testing.T) {
	made, err := RocksDB{}.New(100_000, 0, 1)
	require.NoError(t, err)
	c := made.(*rocksDBCache)
	for i, step := range []struct {
		component readpath.Component
		held      int
	}{
		{readpath.TopIndex, 1}, {readpath.Index, 2}, {readpath.Data, 3}, {readpath.Data, 3},
		{readpath.Index, 2}, {readpath.Data, 3},
		{readpath.TopIndex, 1}, // the next Get
	} {
		made.Access(Block{Number: uint64(i) + 1, File: 1, Offset: int64(i), Stored: 900, Size: 800, Component: step.component})
		assert.Len(t, c.held, step.held, "access %d", i)
	}
}

// TestRocksDBCharges: the top-level index of a filter is charged like an index block.
func TestRocksDBCharges(t *testing.T) {
	b := Block{Stored: 900, Size: 800, Component: readpath.Filter}
	top := b
	top.TopFilter = true
	assert.Equal(t, RocksDB{}.Charge(b)+rocksDBBlock-rocksDBFilter, RocksDB{}.Charge(top))
}

// TestRocksDBReleasesInOrder: a data block is released before the index blocks of its table, or after them if it
// contains the key. The block released first is evicted first.
func TestRocksDBReleasesInOrder(t *testing.T) {
	for _, found := range []bool{false, true} {
		made, err := RocksDB{}.New(3000, 0, 1)
		require.NoError(t, err)
		contents := 1000 - rocksDBBlock - rocksDBHandle
		numbers := Numbers{}
		access := func(component readpath.Component, file uint64) bool {
			offset := int64(component)
			return made.Access(Block{Number: numbers.Of(file, offset), File: file, Offset: offset, Stored: contents + blockformat.TrailerLen + 1, Size: contents, Component: component, Found: found})
		}
		for range 2 { // the second time, each is hit, and enters the upper pool; two of the three sink from there
			access(readpath.TopIndex, 1)
			access(readpath.Data, 1)
		}
		access(readpath.TopIndex, 2)
		access(readpath.TopIndex, 3) // evicts the one of table 1 that was released first
		assert.Equal(t, !found, access(readpath.TopIndex, 1), "the key was found: %v", found)
	}
}

func TestRocksDBShards(t *testing.T) {
	for bytes, want := range map[int64]int{1: 1, 1<<20 - 1: 1, 1 << 20: 2, 8 << 20: 16, 32 << 20: 64, 1 << 40: 64} {
		assert.Equal(t, want, RocksDB{}.Shards(bytes, 2), "%d bytes", bytes)
	}
	_, err := RocksDB{}.New(100, 100, 1)
	assert.ErrorContains(t, err, "no room for blocks")
	assert.Equal(t, 1, HyperClock{EntryCharge: 4096}.Shards(63<<20, 2))
	assert.Equal(t, 64, HyperClock{EntryCharge: 4096}.Shards(1<<40, 2))
	library, err := LibraryOf("rocksdb", map[string]string{"cache": "hyper_clock", "block_size": "4KiB"})
	require.NoError(t, err)
	assert.Equal(t, HyperClock{EntryCharge: 4096}, library)
}
