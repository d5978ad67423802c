package cachesim

import "testing"

// TestLevelDBChargesBuffers: what blocks take of the cache, one after another.
func TestLevelDBChargesBuffers(t *testing.T) {
	c := NewLevelDB(100_000)
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
		{5, 20_005, 20_000, false, 93_328},   // lies in the one that was read into
		{6, 25_005, 25_000, false, 55_005},   // makes one; 2, 3, 1 and 4 go
		{7, 17_005, 17_000, false, 75_005},   // lies in the one that 4 left, and 5 goes
		{8, 200_005, 200_000, false, 75_005}, // is never kept; the one that 5 left is given up
		{9, 17_005, 17_000, false, 75_005},   // lies in that of 8, and so is not kept either
		{7, 17_005, 17_000, true, 75_005},
	} {
		if hit := c.Access(step.block, step.stored, step.size); hit != step.hit || c.lru.Used() != step.used {
			t.Fatalf("step %d: hit %v, %d bytes used; want %v, %d", i, hit, c.lru.Used(), step.hit, step.used)
		}
	}
}
