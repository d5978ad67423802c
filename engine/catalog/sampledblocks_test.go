package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/lsm"
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

// TestTablesToSample: all tables, but only some of each level if there are many and all record how many records they
// have; no virtual ones.
func TestTablesToSample(t *testing.T) {
	sampled := func(records bool, virtual int, tables ...int) (files []uint64) {
		c := &Catalog[*fakeTable]{}
		var levels [lsm.NumLevels][]lsm.Table
		for level, n := range tables {
			for range n {
				ref := Ref{File: uint64(len(c.Tables)), Level: level, Virtual: len(c.Tables) < virtual}
				c.Tables = append(c.Tables, &fakeTable{Tail: Tail{Ref: ref}, records: records})
				levels[level] = append(levels[level], lsm.Table{File: ref.File})
			}
		}
		c.shape = lsm.NewShape(levels)
		list, blocks := c.sampled()
		assert.EqualValues(t, 3*len(list), blocks)
		for _, table := range list {
			files = append(files, table.Ref.File)
		}
		return files
	}
	assert.Equal(t, []uint64{1, 2, 3}, sampled(true, 1, 0, 4))
	assert.Len(t, sampled(false, 0, 0, 5*mostSampled), 5*mostSampled)
	assert.Len(t, sampled(true, 0, 0, 2*mostSampled-1), mostSampled)
	some := sampled(true, 1, 0, 3, 3*mostSampled-3)
	assert.Len(t, some, mostSampled)
	assert.Equal(t, []uint64{1, 3, 6}, some[:3])
}
