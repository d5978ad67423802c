package report

import "getio/tree/lsm"

// shapes are trees to print, by name. The two published ones have the rounded
// figures of the published study.
var shapes = map[string]*lsm.Shape{
	"small": shapeOf(
		levelSum{level: 0, sublevels: 2, tables: 9, records: 101_000, data: 13631488, blocks: 3877, index: 88456, parts: 35, top: 632, filter: 126976},
		levelSum{level: 3, tables: 21, records: 453_000, data: 63963136, blocks: 17320, index: 404890, parts: 132, top: 2662, filter: 568320},
		levelSum{level: 4, tables: 114, records: 3_200_000, data: 448790528, blocks: 119804, index: 2812723, parts: 859, top: 18432, filter: 3984589},
		levelSum{level: 5, tables: 396, records: 22_000_000, data: 3113851290, blocks: 809514, index: 19799040, parts: 5420, top: 123904, filter: 27262976},
		levelSum{level: 6, tables: 878, records: 174_246_000, data: 20401094656, blocks: 6459564, index: 160487424, parts: 40685, top: 993280, filter: 218103808},
	),
	"large": shapeOf(
		levelSum{level: 0, sublevels: 1, tables: 2, records: 32_000, data: 4508877, blocks: 1230, index: 28503, parts: 9, top: 169, filter: 39936},
		levelSum{level: 1, tables: 19, records: 424_000, data: 59768832, blocks: 16249, index: 380518, parts: 120, top: 2458, filter: 532480},
		levelSum{level: 2, tables: 107, records: 3_700_000, data: 522190848, blocks: 138366, index: 3334963, parts: 964, top: 20480, filter: 4613734},
		levelSum{level: 3, tables: 633, records: 30_000_000, data: 4187593114, blocks: 1094810, index: 27092992, parts: 7498, top: 169984, filter: 36700160},
		levelSum{level: 4, tables: 1828, records: 234_000_000, data: 33285996544, blocks: 8648209, index: 215692083, parts: 55613, top: 1363149, filter: 291504128},
		levelSum{level: 5, tables: 7380, records: 1_800_000_000, data: 267361714176, blocks: 68254041, index: 1707501158, parts: 433931, top: 10485760, filter: 2254857830},
		levelSum{level: 6, tables: 24678, records: 17_931_844_000, data: 2089072092774, blocks: 662605109, index: 17071865856, parts: 4232799, top: 108003328, filter: 22548578304},
	),
	// An order of magnitude beyond anything that was measured.
	"enormous": shapeOf(
		levelSum{level: 0, sublevels: 300, tables: 123_456, records: 9_999_999_999, data: 999 << 40, blocks: 255_999_999_999, index: 999 << 30, parts: 262_144_999, top: 999 << 20, filter: 999 << 30},
		levelSum{level: 6, tables: 1_234_567, records: 999_999_999_999, data: 1023 << 40, blocks: 999_999_999, index: 1023 << 30, parts: 999_999_999, top: 1023 << 20, filter: 1023 << 30},
	),
	"single_level_index": shapeOf(
		levelSum{level: 0, sublevels: 4, tables: 4, records: 40_000, data: 4 << 20, blocks: 1100, top: 30 << 10, filter: 50_000},
		levelSum{level: 5, tables: 12, records: 400_000, data: 24 << 20, blocks: 6300, top: 170 << 10, filter: 500_000},
	),
	"only_l6": shapeOf(
		levelSum{level: 6, tables: 40, records: 4_000_000, data: 480 << 20, blocks: 150_000, index: 4 << 20, parts: 1000, top: 26 << 10, filter: 5_000_000},
	),
	"only_l0": shapeOf(
		levelSum{level: 0, sublevels: 1, tables: 1, records: 1, data: 62, blocks: 1, top: 27, filter: 0},
	),
	"empty": shapeOf(),
}

// levelSum is a level's totals.
type levelSum struct {
	level, sublevels           int
	tables, records            int64
	data, blocks, index, parts int64
	top, filter                int64
}

// shapeOf derives a shape from one table per level that stands for all of them.
func shapeOf(sums ...levelSum) *lsm.Shape {
	var tables [lsm.NumLevels][]lsm.Table
	for _, s := range sums {
		tables[s.level] = []lsm.Table{{
			Sublevel: max(0, s.sublevels-1),
			Bytes:    s.data + s.index + s.top + s.filter, Records: s.records,
			DataBytes: s.data, DataBlocks: s.blocks, IndexBytes: s.index, IndexBlocks: s.parts,
			TopIndexBytes: s.top, FilterBytes: s.filter,
		}}
	}
	shape := lsm.NewShape(tables).WithoutTables()
	for i := range shape.Levels {
		shape.Levels[i].Tables = sums[i].tables
	}
	return shape
}
