package database

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/tree/lsm"
)

// TestTablesThatWereNotSampled: a table that was not sampled has the kinds of the one before it that was.
func TestTablesThatWereNotSampled(t *testing.T) {
	second, fifth := &lsm.BlockKinds{}, &lsm.BlockKinds{}
	second.Add(1, 100, 100, 100)
	fifth.Add(9, 100, 100, 100)
	kinds := map[uint64]*lsm.BlockKinds{2: second, 5: fifth}
	tables := []lsm.Table{{File: 1}, {File: 2}, {File: 3}, {File: 4}, {File: 5}, {File: 6}}
	fillGaps(kinds, tables)
	for i, want := range []*lsm.BlockKinds{second, second, second, second, fifth, fifth} {
		assert.Same(t, want, kinds[tables[i].File], "table %d", i+1)
	}
	none := map[uint64]*lsm.BlockKinds{}
	fillGaps(none, tables)
	assert.Empty(t, none)
}
