package growth

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"getio/engine/lsm"
	"getio/numbers/published"
)

// Names of the published trees, by size.
var Names = []string{"small", "medium", "large"}

// Published returns a tree with the published numbers of keys and tables per level. The
// key ranges of tables are modelled as in Shape.
//
// The study printed records with two or three digits, but data blocks in full. So the records of a
// level follow from its data blocks, and each table gets data blocks in proportion to its records.
func Published(name string, seed uint64) (*lsm.Shape, error) {
	levels, err := published.Levels(name)
	if err != nil {
		return nil, err
	}
	if len(levels) != lsm.NumLevels {
		return nil, fmt.Errorf("no published tree is called %q: choose among %s", name, strings.Join(Names, ", "))
	}
	o := BenchKVDB()
	shape := publishedPlan(levels).layOut(seed, o.fill)
	for i := range shape.Levels {
		level := &shape.Levels[i]
		level.DataBlocks = levels[level.Level].DataBlocks
		shareBlocks(level.TableList, uint64(level.DataBlocks))
	}
	return shape, nil
}

// shareBlocks divides a level's data blocks among its tables.
func shareBlocks(tables []lsm.Table, blocks uint64) {
	records := make([]float64, len(tables))
	for i, t := range tables {
		records[i] = float64(t.Records)
	}
	for i, n := range apportion(blocks, records) {
		tables[i].DataBlocks = int64(n)
	}
}

// publishedPlan returns the plan of a tree with the published levels, L0 first. L6 gets the records that remain.
func publishedPlan(levels []published.Level) (p plan) {
	base := slices.IndexFunc(levels[1:], func(l published.Level) bool { return l.Tables > 0 }) + 1
	rest := uint64(levels[0].Keys)
	for level, counts := range levels {
		t := newLevelPlan(rest, level, base)
		t.count = int(counts.Tables)
		if level < lastLevel {
			t.records = recordsIn(float64(counts.DataBlocks), level, base)
		}
		rest -= t.records
		p[level] = t
	}
	return p
}

// recordsIn returns the number of records in a level's data blocks. It iterates: denser keys share
// longer prefixes, so blocks hold more of them, and the density depends on the number of records.
func recordsIn(blocks float64, level, base int) uint64 {
	records := most * blocks
	for range 4 {
		records = blocks * perBlock(records/arrangementOf(level, base).coverage)
	}
	return uint64(math.Round(records))
}

// most is the maximum number of records in a block of 4 KiB, for keys of 32 bytes and
// values of 110.
const most = 27

// perBlock returns the records per data block at a density in records per key space: 26
// for sparse keys, approaching 27 for dense ones. The natural trees of the tests have 26.0
// at 0.7M, 26.2 at 1.3M, 26.5 at 2.9M, 26.75 at 4.5M, 26.9 at 6.5M and 27.0 from 13M on.
func perBlock(density float64) float64 {
	const sparse, step = 0.9e6, 2.4e6
	return most - math.Exp(-max(density-sparse, 0)/step)
}
