package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTotalBytes: a budget of older records is of page cache and smallest caches, to which the
// store's other memory is added.
func TestTotalBytes(t *testing.T) {
	s := &State{AnonymousBytes: 1000, Store: StateStore{Caches: []StateCache{{"dropped", 30, false}, {"stays", 7, true}}}}
	memory := int64(1030)
	assert.EqualValues(t, 5000, s.TotalBytes(StateBudget{Bytes: 5000, MemoryBytes: &memory}))
	assert.EqualValues(t, 5000-7+1000, s.TotalBytes(StateBudget{Bytes: 5000}))
	assert.EqualValues(t, 1000, s.TotalBytes(StateBudget{Bytes: 3}), "the budget is less than what stays")
}

func TestMemoryParts(t *testing.T) {
	s := StateStore{Stats: []StateStat{{"memory_index", "bytes", 5}, {"memory_keys", "count", 9}, {"pages", "bytes", 9}}}
	assert.Equal(t, []StateStat{{"index", "bytes", 5}}, s.MemoryParts())
}
