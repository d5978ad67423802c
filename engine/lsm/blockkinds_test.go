package lsm

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBlockKinds: of a table's 100 blocks, four were read: two of 30 records, one of which needs a
// larger buffer, and two of one record.
func TestBlockKinds(t *testing.T) {
	var k BlockKinds
	k.Add(30, 4000, 4090, 4101)
	k.Add(30, 4100, 4190, 8202)
	k.Add(1, 6000, 6020, 8202)
	k.Add(1, 8000, 8020, 8202)
	table := Table{DataBlocks: 100}
	k.Describe(&table)
	assert.Equal(t, Table{
		DataBlocks: 100, Records: 1550, RawBytes: 552_500,
		BlockKinds: []Segment{
			{Records: 2.0 / 62, Blocks: 0.5, BlockBytes: 7020},
			{Records: 30.0 / 62, Blocks: 0.25, BlockBytes: 4090},
			{Records: 30.0 / 62, Blocks: 0.25, BlockBytes: 4190},
		},
	}, table)
	assert.EqualValues(t, 5580, (&TableFormat{}).DataBlockBytes(table))
	unread := Table{DataBlocks: 3}
	(&BlockKinds{}).Describe(&unread)
	assert.Equal(t, Table{DataBlocks: 3}, unread)
}
