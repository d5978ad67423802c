package cachesim

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// clock is a shard of 8 slots, of which 6 may be taken, with room for 4,000 bytes beside them.
func clock() *hyperClockShard { return newHyperClockShard(8*clockSlotBytes+4000, 0, 1000) }

// touch takes a block and lets go of it.
func (s *hyperClockShard) touch(block uint64, charge uint32, upper bool) (hit bool) {
	at, hit := s.take(block, charge, upper)
	s.release(at, hit)
	return hit
}

func (s *hyperClockShard) holds(blocks ...uint64) (n int) {
	for _, b := range blocks {
		if s.where.find(b) != nil32 {
			n++
		}
	}
	return n
}

// TestHyperClock: predict/replay compares the simulation with the library itself; these are the rules one
// by one.
func TestHyperClock(t *testing.T) {
	t.Run("what was hit, or has high priority, stays longer", func(t *testing.T) {
		s := clock()
		assert.Len(t, s.slots, 8)
		assert.Equal(t, 6, s.limit)
		for b := range uint64(3) {
			assert.False(t, s.touch(b, 1000, false))
		}
		assert.False(t, s.touch(3, 1000, true))
		assert.True(t, s.touch(0, 1000, false))
		assert.EqualValues(t, s.capacity, s.used)
		assert.False(t, s.touch(4, 1000, false))
		assert.Equal(t, 2, s.holds(0, 3))
		assert.Less(t, s.holds(1, 2), 2)
		assert.LessOrEqual(t, s.used, s.capacity)
	})
	t.Run("what is held is not evicted", func(t *testing.T) {
		s := clock()
		for b := range uint64(5) {
			s.take(b, 1000, false)
		}
		assert.Equal(t, 5, s.holds(0, 1, 2, 3, 4))
		assert.Greater(t, s.used, s.capacity)
	})
	t.Run("slots run out", func(t *testing.T) {
		s := clock()
		for b := range uint64(20) {
			s.touch(b, 1, false)
			assert.LessOrEqual(t, s.occupied, s.limit)
		}
		s = clock()
		for b := range uint64(6) {
			s.take(b, 1, false)
		}
		assert.False(t, s.touch(6, 1, false))
		assert.Zero(t, s.holds(6), "there is no slot for it")
	})
	t.Run("small caches have fewer slots than they need", func(t *testing.T) {
		assert.Len(t, newHyperClockShard(200, 0, 1).slots, 2)
	})
}
