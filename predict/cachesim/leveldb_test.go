package cachesim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
	"getio/engine/readpath"
)

// TestLevelDBChargesBuffers: each block is charged the size of its buffer.
func TestLevelDBChargesBuffers(t *testing.T) {
	made, err := LevelDB{BlockSize: 4 << 10}.New(100_000, 0, 1)
	require.NoError(t, err)
	c := made.(*levelDBCache)
	for i, step := range []struct {
		block        uint64
		stored, size uint32
		hit          bool
		used         int64
	}{
		{1, 300, 295, false, 1025},           // a quarter of a usual buffer
		{2, 3000, 4101, false, 1025 + 4101},  // compressed; just fits one
		{3, 4102, 4097, false, 5126 + 8202},  // not compressed: its trailer needs the next size
		{1, 300, 295, true, 13_328},          // still there
		{4, 30_000, 50_000, false, 63_328},   // makes a buffer for what is read, and its own
		{5, 20_005, 20_000, false, 93_328},   // reuses the buffer that block 4 was read into
		{6, 25_005, 25_000, false, 55_005},   // makes one; 2, 3, 1 and 4 are evicted
		{7, 17_005, 17_000, false, 75_005},   // reuses that of 4; 5 is evicted
		{8, 200_005, 200_000, false, 75_005}, // is never cached; the buffer of 5 is dropped
		{9, 17_005, 17_000, false, 75_005},   // reuses that of 8, so it is not cached either
		{7, 17_005, 17_000, true, 75_005},
	} {
		if hit := c.Access(Block{Number: step.block, File: step.block, Stored: step.stored, Size: step.size}); hit != step.hit || c.lru.Used() != step.used {
			t.Fatalf("step %d: hit %v, %d bytes used; want %v, %d", i, hit, c.lru.Used(), step.hit, step.used)
		}
	}
}

// TestLevelDBHoldsIndexBlock: while a table is searched, its filter cannot be read into the buffer of its index block,
// even if the cache does not keep that.
func TestLevelDBHoldsIndexBlock(t *testing.T) {
	c, err := LevelDB{BlockSize: 4096}.New(20_000, 0, 1)
	require.NoError(t, err)
	uncompressed := func(offset int64, size uint32, component readpath.Component) Block {
		return Block{Number: uint64(offset) + 1, File: 1, Offset: offset, Stored: size + blockformat.TrailerLen, Size: size, Component: component}
	}
	large := uncompressed(0, 50_000, readpath.Data) // its buffer is larger than the cache
	index, filter := uncompressed(1, 17_000, readpath.TopIndex), uncompressed(2, 17_000, readpath.Filter)
	var hits []bool
	for _, b := range []Block{large, index, filter, index, filter} {
		hits = append(hits, c.Access(b))
	}
	assert.Equal(t, []bool{false, false, false, false, true}, hits)
}
