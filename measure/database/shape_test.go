package database

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/lsm"
)

// TestTablesThatWereNotSampled: a table that was not sampled is like the one before it in its sorted run that was,
// or like the first. Runs do not affect each other.
func TestTablesThatWereNotSampled(t *testing.T) {
	few, many := &lsm.BlockKinds{}, &lsm.BlockKinds{}
	few.Add(1, 100, 100, 100)
	many.Add(9, 100, 200, 200)
	table := func(file uint64, sublevel int) lsm.Table {
		return lsm.Table{File: file, Sublevel: sublevel, DataBlocks: 10, Records: 50}
	}
	shape := lsm.NewShape([lsm.NumLevels][]lsm.Table{
		0: {table(10, 0), table(11, 1), table(12, 0)},
		5: {table(1, 0), table(2, 0), table(3, 0), table(4, 0), table(5, 0)},
		6: {table(6, 0)},
	})
	described := describe(shape, map[uint64]*lsm.BlockKinds{2: few, 4: many, 11: many, 12: few})
	bytes := map[uint64]float64{}
	for _, level := range described.Levels {
		for _, table := range level.TableList {
			assert.EqualValues(t, 50, table.Records, "as the table records it")
			if len(table.BlockKinds) > 0 {
				bytes[table.File] = table.BlockKinds[0].BlockBytes
			}
		}
	}
	assert.Equal(t, map[uint64]float64{1: 100, 2: 100, 3: 100, 4: 200, 5: 200, 10: 100, 11: 200, 12: 100}, bytes)
}
