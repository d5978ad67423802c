package lsm

import (
	"encoding/binary"
	"math"
	"testing"
)

var pebbleFormat = TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}

// TestReformatMatchesPebble compares tables of one tree of 20 million keys, written with
// blocks of 4 KiB and of 32 KiB.
func TestReformatMatchesPebble(t *testing.T) {
	to := pebbleFormat
	to.BlockBytes = 32 << 10
	for _, c := range []struct {
		level        int
		first, last  uint64
		small, large Table
	}{
		{0, 0x464ad4946a821047, 0x55f0bbe8dd5d51f4,
			Table{Records: 5930, DataBlocks: 229, IndexBlocks: 2, IndexBytes: 5122, TopIndexBytes: 47, FilterBytes: 7493},
			Table{DataBlocks: 28, IndexBlocks: 0, IndexBytes: 0, TopIndexBytes: 627}},
		{0, 0x695e9d8f3e911939, 0x792b130dd826121a,
			Table{Records: 6063, DataBlocks: 234, IndexBlocks: 2, IndexBytes: 5237, TopIndexBytes: 47, FilterBytes: 7621},
			Table{DataBlocks: 29, IndexBlocks: 0, IndexBytes: 0, TopIndexBytes: 655}},
		{4, 0x0b857ab6a31a236f, 0x0d033ab700c82173,
			Table{Records: 29703, DataBlocks: 1141, IndexBlocks: 7, IndexBytes: 26826, TopIndexBytes: 171, FilterBytes: 37189},
			Table{DataBlocks: 138, IndexBlocks: 0, IndexBytes: 0, TopIndexBytes: 3177}},
		{4, 0x0ed61114bb66eef0, 0x0f783fa47ff793c4,
			Table{Records: 29603, DataBlocks: 1113, IndexBlocks: 7, IndexBytes: 26249, TopIndexBytes: 172, FilterBytes: 37061},
			Table{DataBlocks: 138, IndexBlocks: 0, IndexBytes: 0, TopIndexBytes: 3185}},
		{5, 0x0000053cbb673833, 0x032c522674026242,
			Table{Records: 28634, DataBlocks: 1102, IndexBlocks: 7, IndexBytes: 25868, TopIndexBytes: 170, FilterBytes: 35909},
			Table{DataBlocks: 133, IndexBlocks: 0, IndexBytes: 0, TopIndexBytes: 3062}},
		{5, 0x09d24bf90540fefd, 0x0b856feca3906d24,
			Table{Records: 18909, DataBlocks: 728, IndexBlocks: 5, IndexBytes: 16890, TopIndexBytes: 122, FilterBytes: 23749},
			Table{DataBlocks: 88, IndexBlocks: 0, IndexBytes: 0, TopIndexBytes: 2027}},
		{6, 0x0858fd869722bd72, 0x09d47452609b49c5,
			Table{Records: 102256, DataBlocks: 3790, IndexBlocks: 23, IndexBytes: 91047, TopIndexBytes: 556, FilterBytes: 127941},
			Table{DataBlocks: 474, IndexBlocks: 3, IndexBytes: 11290, TopIndexBytes: 74}},
		{6, 0x56e9f28c1073f10b, 0x579bb29c133a150c,
			Table{Records: 53981, DataBlocks: 2000, IndexBlocks: 12, IndexBytes: 47816, TopIndexBytes: 291, FilterBytes: 67525},
			Table{DataBlocks: 250, IndexBlocks: 2, IndexBytes: 5894, TopIndexBytes: 50}},
		{6, 0xa06ffd9c8ac98bab, 0xa2d19233b0781ab0,
			Table{Records: 144977, DataBlocks: 5386, IndexBlocks: 32, IndexBytes: 129487, TopIndexBytes: 770, FilterBytes: 181317},
			Table{DataBlocks: 672, IndexBlocks: 4, IndexBytes: 16057, TopIndexBytes: 98}},
	} {
		table := c.small
		table.File, table.Bytes, table.DataBytes = 7, 1<<20, 1<<19
		table.Smallest = binary.BigEndian.AppendUint64(nil, c.first)
		table.Largest = binary.BigEndian.AppendUint64(nil, c.last)
		var tables [NumLevels][]Table
		tables[c.level] = []Table{table}
		got := pebbleFormat.Reformat(NewShape(tables), &to).Levels[0].TableList[0]
		near := func(what string, got, want int64, within float64) {
			if math.Abs(float64(got-want)) > within*float64(want)+1 {
				t.Errorf("L%d, %d records: %d %s, Pebble has %d", c.level, c.small.Records, got, what, want)
			}
		}
		near("data blocks", got.DataBlocks, c.large.DataBlocks, 0.03)
		near("index blocks", got.IndexBlocks, c.large.IndexBlocks, 0)
		near("bytes of index", got.IndexBytes+got.TopIndexBytes, c.large.IndexBytes+c.large.TopIndexBytes, 0.055)
		if got.FilterBytes != c.small.FilterBytes || got.Records != c.small.Records {
			t.Errorf("L%d: reformatted as %+v", c.level, got)
		}
		if got.Bytes != 0 || got.DataBytes != 0 {
			t.Errorf("L%d: sizes on disk are not 0: %+v", c.level, got)
		}
	}
}

func TestReformatChangesFilters(t *testing.T) {
	var tables [NumLevels][]Table
	tables[6] = []Table{{Records: 1000, DataBlocks: 38, TopIndexBytes: 900}, {}}
	s := NewShape(tables)
	if l := pebbleFormat.FilterLastLevel(s).Levels[0]; l.FilterBytes != 1349 || s.Levels[0].FilterBytes != 0 {
		t.Errorf("filters of %d bytes, previously %d", l.FilterBytes, s.Levels[0].FilterBytes)
	}
	to := pebbleFormat
	to.BloomBits = 20
	if l := pebbleFormat.Reformat(pebbleFormat.FilterLastLevel(s), &to).Levels[0]; l.FilterBytes != 2629 || l.DataBlocks != 38 {
		t.Errorf("reformatted with filters of %d bytes and %d data blocks", l.FilterBytes, l.DataBlocks)
	}
}
