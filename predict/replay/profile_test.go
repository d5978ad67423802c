package replay

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/predict/cachesim"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// TestProfile: in one table, 900 Gets found records of 92 bytes in blocks of 4,000, and 300 found
// records that fill their blocks.
func TestProfile(t *testing.T) {
	p := newProfile()
	get := func(file uint64, size uint32, record int) {
		p.add(Get{Accesses: []cachesim.Block{{File: 9, Size: 100, Component: readpath.TopIndex}, {File: file, Size: size, Component: readpath.Data}}, RecordBytes: record})
	}
	for range 900 {
		get(1, 4000, 92)
	}
	for range 300 {
		get(1, 8000, 7992)
	}
	for range 100 {
		get(2, 4000, 92)
	}
	p.add(Get{Accesses: []cachesim.Block{{File: 1, Component: readpath.Index}}, RecordBytes: 50}) // no data block is the last
	p.add(Get{RecordBytes: 50})                                                                   // found in memory
	p.add(Get{Accesses: []cachesim.Block{{File: 1, Component: readpath.Data}}})                   // nothing found
	var tables [lsm.NumLevels][]lsm.Table
	tables[5] = []lsm.Table{{File: 3, Records: 50, DataBlocks: 5}}
	tables[6] = []lsm.Table{{File: 1, Records: 1000, DataBlocks: 50}, {File: 2, Records: 950, DataBlocks: 60}, {File: 4, DataBlocks: 1}}
	l := p.Levels(lsm.NewShape(tables))

	// 900 records at 40 to a block stand for 22.5 blocks of 4,000 bytes.
	got := l.Segments(6, tables[6][0])
	want := []lsm.Segment{
		{Records: 300.0 / 1200, Blocks: 300 / 322.5, BlockBytes: 8000},
		{Records: 900.0 / 1200, Blocks: 22.5 / 322.5, BlockBytes: 4000},
	}
	require.Len(t, got, len(want))
	for i := range want {
		if math.Abs(got[i].Records-want[i].Records)+math.Abs(got[i].Blocks-want[i].Blocks)+math.Abs(got[i].BlockBytes-want[i].BlockBytes) > 1e-9 {
			t.Errorf("segment %d: %+v, expected %+v", i, got[i], want[i])
		}
	}
	// The second table is described by its level. L5 was not found in at all.
	if got := l.Segments(6, tables[6][1]); len(got) != 2 || math.Abs(got[0].Records-300.0/1300) > 1e-9 {
		t.Errorf("segments of a table with few records found: %v", got)
	}
	assert.Nil(t, l.Segments(6, lsm.Table{File: 4, Records: 70, DataBlocks: 70}))
	assert.Nil(t, l.Segments(5, tables[5][0]))

	// 1200 of 1300 Gets found their record in half of all records, 1300 in 0.975 of them.
	for _, c := range []struct {
		level int
		table lsm.Table
		want  float64
	}{
		{6, tables[6][0], 2 * 1200.0 / 1300}, {6, tables[6][1], 1 / 0.975}, {5, tables[5][0], 1},
	} {
		if got := l.Weight(c.level, c.table); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("table %d of L%d weighs %.4f, expected %.4f", c.table.File, c.level, got, c.want)
		}
	}
}
