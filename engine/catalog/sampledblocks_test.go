package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// fakeTable is a table that is not read.
type fakeTable struct {
	Table
	Tail
	records bool // it records how many it has
}

func (t *fakeTable) tail() *Tail                     { return &t.Tail }
func (t *fakeTable) DataBlocks() uint64              { return 3 }
func (t *fakeTable) Records() (n uint64, known bool) { return 1, t.records }

// TestTablesToSample: all tables, but only some if there are many and all record what they have; no virtual ones.
func TestTablesToSample(t *testing.T) {
	sampled := func(tables, virtual int, records bool) (files []uint64) {
		c := &Catalog[*fakeTable]{}
		for i := range tables {
			c.Tables = append(c.Tables, &fakeTable{Tail: Tail{Ref: Ref{File: uint64(i), Virtual: i < virtual}}, records: records})
		}
		list, blocks := c.sampled()
		assert.EqualValues(t, 3*len(list), blocks)
		for _, table := range list {
			files = append(files, table.Ref.File)
		}
		return files
	}
	assert.Equal(t, []uint64{1, 2, 3}, sampled(4, 1, true))
	assert.Len(t, sampled(5*mostSampled, 0, false), 5*mostSampled)
	some := sampled(3*mostSampled+1, 1, true)
	assert.Len(t, some, mostSampled)
	assert.Equal(t, []uint64{1, 4, 7}, some[:3])
}
