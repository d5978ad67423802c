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
	type blocks struct{ data, index, indexBytes, topBytes int64 }
	to := pebbleFormat
	to.BlockBytes = 32 << 10
	for _, c := range []struct {
		level           int
		first, last     uint64
		records, filter int64
		small, large    blocks
	}{
		{0, 0x464ad4946a821047, 0x55f0bbe8dd5d51f4, 5930, 7493, blocks{229, 2, 5122, 47}, blocks{28, 0, 0, 627}},
		{0, 0x695e9d8f3e911939, 0x792b130dd826121a, 6063, 7621, blocks{234, 2, 5237, 47}, blocks{29, 0, 0, 655}},
		{4, 0x0b857ab6a31a236f, 0x0d033ab700c82173, 29703, 37189, blocks{1141, 7, 26826, 171}, blocks{138, 0, 0, 3177}},
		{4, 0x0ed61114bb66eef0, 0x0f783fa47ff793c4, 29603, 37061, blocks{1113, 7, 26249, 172}, blocks{138, 0, 0, 3185}},
		{5, 0x0000053cbb673833, 0x032c522674026242, 28634, 35909, blocks{1102, 7, 25868, 170}, blocks{133, 0, 0, 3062}},
		{5, 0x09d24bf90540fefd, 0x0b856feca3906d24, 18909, 23749, blocks{728, 5, 16890, 122}, blocks{88, 0, 0, 2027}},
		{6, 0x0858fd869722bd72, 0x09d47452609b49c5, 102256, 127941, blocks{3790, 23, 91047, 556}, blocks{474, 3, 11290, 74}},
		{6, 0x56e9f28c1073f10b, 0x579bb29c133a150c, 53981, 67525, blocks{2000, 12, 47816, 291}, blocks{250, 2, 5894, 50}},
		{6, 0xa06ffd9c8ac98bab, 0xa2d19233b0781ab0, 144977, 181317, blocks{5386, 32, 129487, 770}, blocks{672, 4, 16057, 98}},
	} {
		table := Table{
			Records: c.records, DataBlocks: c.small.data, IndexBlocks: c.small.index, IndexBytes: c.small.indexBytes,
			TopIndexBytes: c.small.topBytes, FilterBytes: c.filter,
		}
		table.File, table.Bytes, table.DataBytes = 7, 1<<20, 1<<19
		table.Smallest = binary.BigEndian.AppendUint64(nil, c.first)
		table.Largest = binary.BigEndian.AppendUint64(nil, c.last)
		var tables [NumLevels][]Table
		tables[c.level] = []Table{table}
		got := pebbleFormat.Reformat(NewShape(tables), &to).Levels[0].TableList[0]
		near := func(what string, got, want int64, within float64) {
			if math.Abs(float64(got-want)) > within*float64(want)+1 {
				t.Errorf("L%d, %d records: %d %s, Pebble has %d", c.level, c.records, got, what, want)
			}
		}
		near("data blocks", got.DataBlocks, c.large.data, 0.03)
		near("index blocks", got.IndexBlocks, c.large.index, 0)
		near("bytes of index", got.IndexBytes+got.TopIndexBytes, c.large.indexBytes+c.large.topBytes, 0.055)
		if got.FilterBytes != c.filter || got.Records != c.records {
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

// TestReformatLeavesTablesUnfiltered: a table without a filter gets one only if no other has one.
func TestReformatLeavesTablesUnfiltered(t *testing.T) {
	for _, ranges := range []bool{false, true} {
		from := pebbleFormat
		from.RangeFilters = ranges
		to := from
		to.BloomBits = 20
		var tables [NumLevels][]Table
		tables[5] = []Table{{Records: 1000, DataBlocks: 38, DataBytes: 100_000, TopIndexBytes: 900, FilterBytes: 1600}}
		tables[6] = []Table{{Records: 1000, DataBlocks: 38, DataBytes: 100_000, TopIndexBytes: 900}}
		got := from.Reformat(NewShape(tables), &to)
		if got.Levels[0].FilterBytes < 2500 || got.Levels[1].FilterBytes != 0 {
			t.Errorf("ranges %v: filters of %d and %d bytes", ranges, got.Levels[0].FilterBytes, got.Levels[1].FilterBytes)
		}
		tables[5] = nil
		from.BloomBits = 0
		if got := from.Reformat(NewShape(tables), &to).Levels[0]; got.FilterBytes < 2500 {
			t.Errorf("ranges %v: a filter of %d bytes where none had one", ranges, got.FilterBytes)
		}
	}
}

// TestReformatPartitions: partitions of RocksDB are as large after a change as before, whatever the
// options say.
func TestReformatPartitions(t *testing.T) {
	from := TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10, TopIndexAlways: true}
	to := from
	to.BlockBytes = 16 << 10
	for _, c := range []struct{ before, want Table }{
		// Of 4 KiB by what the filter holds.
		{Table{FilterBlocks: 40, FilterBytes: 160_000, IndexBlocks: 40, IndexBytes: 64_000}, Table{FilterBlocks: 40, IndexBlocks: 40}},
		// Of 16 KiB, by the index, which shrinks to a quarter.
		{Table{FilterBlocks: 40, FilterBytes: 20_000, IndexBlocks: 40, IndexBytes: 640_000}, Table{FilterBlocks: 10, IndexBlocks: 10}},
		{Table{FilterBytes: 160_000, IndexBlocks: 40, IndexBytes: 640_000}, Table{IndexBlocks: 10}},
		{Table{FilterBytes: 160_000}, Table{}},
	} {
		before := c.before
		before.Records, before.DataBlocks, before.TopIndexBytes, before.TopFilterBytes = 128_000, 4740, 1000, 1000*min(c.before.FilterBlocks, 1)
		var tables [NumLevels][]Table
		tables[6] = []Table{before}
		got := from.Reformat(NewShape(tables), &to).Levels[0].TableList[0]
		if got.FilterBlocks != c.want.FilterBlocks || got.IndexBlocks != c.want.IndexBlocks {
			t.Errorf("%+v: %d partitions of the filter and %d of the index, want %+v", c.before, got.FilterBlocks, got.IndexBlocks, c.want)
		}
	}
}

// TestWorstCaseFollowsFilters: without filters, a Get searches the tables that they excluded.
func TestWorstCaseFollowsFilters(t *testing.T) {
	from := TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10, TopIndexAlways: true}
	to := from
	to.BloomBits = 0
	table := Table{Records: 1000, DataBlocks: 38, TopIndexBytes: 900, FilterBytes: 1349}
	var tables [NumLevels][]Table
	tables[0], tables[5], tables[6] = []Table{table, table}, []Table{table}, []Table{table, table}
	s := NewFilteredShape(tables)
	s.ReadFiltersFirst()
	if got := from.Reformat(s, &to).WorstCaseReads; s.WorstCaseReads != 2+1+3 || got != 4*2 {
		t.Errorf("%d reads with filters and %d without, want 6 and 8", s.WorstCaseReads, got)
	}
}
