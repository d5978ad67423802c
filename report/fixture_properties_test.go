package report

import (
	"getio/engine"
	"getio/tree/lsm"
)

// publishedProperties are figures that round to those of the published table
// of the small database, totals included.
func publishedProperties() (levels [lsm.NumLevels]engine.LevelProperties) {
	const k, m, g = 1 << 10, 1 << 20, 1 << 30
	mib := func(x float64) uint64 { return uint64(x * m) }
	gib := func(x float64) uint64 { return uint64(x * g) }
	levels[0] = engine.LevelProperties{
		Count: 9, SmallestSeq: 199371028, LargestSeq: 200000009, DataSize: mib(13), DataBlocks: 3877,
		IndexSize: 87 * k, IndexBlocks: 35, TopIndexSize: 632, FilterSize: 124 * k,
		RawKeySize: mib(3.8), RawValueSize: mib(11), Sets: 101_000,
	}
	levels[3] = engine.LevelProperties{
		Count: 21, SmallestSeq: 196422055, LargestSeq: 200000005, DataSize: mib(61), DataBlocks: 17320,
		IndexSize: 398 * k, IndexBlocks: 132, TopIndexSize: 2662, FilterSize: 555 * k,
		RawKeySize: mib(17), RawValueSize: mib(48), Sets: 453_000,
	}
	levels[4] = engine.LevelProperties{
		Count: 114, SmallestSeq: 181350563, LargestSeq: 200000008, DataSize: mib(428), DataBlocks: 119804,
		IndexSize: mib(2.7), IndexBlocks: 859, TopIndexSize: 18 * k, FilterSize: mib(3.8),
		RawKeySize: mib(122), RawValueSize: mib(336), Sets: 3_200_000,
	}
	levels[5] = engine.LevelProperties{
		Count: 396, SmallestSeq: 88089900, LargestSeq: 200000000, DataSize: gib(2.9), DataBlocks: 809514,
		IndexSize: mib(19), IndexBlocks: 5420, TopIndexSize: 121 * k, FilterSize: mib(26),
		RawKeySize: mib(833), RawValueSize: gib(2.2), Sets: 22_000_000,
	}
	levels[6] = engine.LevelProperties{
		Count: 878, LargestSeq: 0, DataSize: gib(19), DataBlocks: 6459564,
		IndexSize: mib(154), IndexBlocks: 40685, TopIndexSize: 970 * k, FilterSize: mib(208),
		RawKeySize: gib(6.5), RawValueSize: gib(17.6), Sets: 174_000_000,
	}
	return levels
}
