package lsm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSmallTablesHaveAKey: ten operands of each key in large tables leave a small one with a key, which it needs to be
// predicted.
func TestSmallTablesHaveAKey(t *testing.T) {
	s := &Shape{Levels: []Level{{Level: 6, Tables: 2, TableList: []Table{{File: 1, Records: 1000}, {File: 2, Records: 3}}}}}
	k := &KeySample{}
	for range fewestDrawn {
		k.Add(SampledRecord{File: 1, Run: SortedRun{Level: 6}, Records: 10, OfKey: 10, Live: true})
	}
	tables := k.Describe(s).Levels[0].TableList
	require.Len(t, tables, 2)
	assert.EqualValues(t, 100, tables[0].Keys())
	assert.EqualValues(t, 1, tables[1].Keys())
}
