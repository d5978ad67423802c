package growth

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"getio/tree/lsm"
	"getio/tree/published"
)

// Names of the published trees, by size.
var Names = []string{"small", "medium", "large"}

// Published returns a tree with the levels of a published one: keys and tables
// per level are the published ones, and how tables lie in a level is modelled
// as by Shape.
//
// The study printed records with two or three digits, but counts of data blocks
// in full; records follow from those, and tables have data blocks by their
// records.
func Published(name string, seed uint64) (*lsm.Shape, error) {
	tree, err := publishedTree(name)
	if err != nil {
		return nil, err
	}
	o := BenchKVDB()
	o.Seed = seed
	shape := layOut(tree.plan(), &o)
	for i := range shape.Levels {
		level := &shape.Levels[i]
		level.DataBlocks = int64(tree.blocks[level.Level])
		shareBlocks(level.TableList, tree.blocks[level.Level])
	}
	return shape, nil
}

// shareBlocks gives tables their part of a level's data blocks.
func shareBlocks(tables []lsm.Table, blocks uint64) {
	records := make([]float64, len(tables))
	for i, t := range tables {
		records[i] = float64(t.Records)
	}
	for i, n := range apportion(blocks, records) {
		tables[i].DataBlocks = int64(n)
	}
}

// publishedCounts is what tree/published/shapes.csv says in full of a tree.
type publishedCounts struct {
	keys           uint64
	tables, blocks [lsm.NumLevels]uint64
}

// plan gives every level its records: those of L6 are what remains.
func (c *publishedCounts) plan() (p plan) {
	base := slices.IndexFunc(c.tables[1:], func(n uint64) bool { return n > 0 }) + 1
	rest := c.keys
	for level := range p {
		t := newLevelPlan(rest, level, base)
		t.count = int(c.tables[level])
		if level < lastLevel {
			t.records = recordsIn(float64(c.blocks[level]), level, base)
		}
		rest -= t.records
		p[level] = t
	}
	return p
}

// recordsIn is the number of records in a level's data blocks. Neighbouring
// keys share more of their first bytes the more densely they lie, so that
// blocks take in more of them, and how densely they lie depends on their
// number.
func recordsIn(blocks float64, level, base int) uint64 {
	records := most * blocks
	for range 4 {
		records = blocks * perBlock(records/arrangementOf(level, base).coverage)
	}
	return uint64(math.Round(records))
}

// most records fit a block of 4 KiB, for keys of 32 bytes with values of 110.
const most = 27

// perBlock is the number of records per data block among keys of a density in
// records per key space: 26 where they lie sparsely, then closer and closer to
// 27. The natural trees of the tests have 26.0 at 0.7M, 26.2 at 1.3M, 26.5 at
// 2.9M, 26.75 at 4.5M, 26.9 at 6.5M and 27.0 from 13M on.
func perBlock(density float64) float64 {
	const sparse, step = 0.9e6, 2.4e6
	return most - math.Exp(-max(density-sparse, 0)/step)
}

// publishedTree reads the rows of one tree.
func publishedTree(name string) (*publishedCounts, error) {
	rows, err := csv.NewReader(strings.NewReader(published.Shapes)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("tree/published/shapes.csv cannot be read: %w", err)
	}
	var tree publishedCounts
	for _, row := range rows {
		if row[0] != name {
			continue
		}
		if err := tree.add(row); err != nil {
			return nil, fmt.Errorf("tree/published/shapes.csv, %s: %w", strings.Join(row[:3], " "), err)
		}
	}
	if tree.keys == 0 {
		return nil, fmt.Errorf("no published tree is called %q: choose among %s", name, strings.Join(Names, ", "))
	}
	return &tree, nil
}

// add takes a level's figures from its row; the row of totals has none to take.
func (c *publishedCounts) add(row []string) error {
	const keysAt, levelAt, tablesAt, blocksAt = 1, 2, 3, 5 // columns
	var level int
	if _, err := fmt.Sscanf(row[levelAt], "L%d", &level); err != nil || level >= lsm.NumLevels {
		return nil
	}
	for column, to := range map[int]*uint64{keysAt: &c.keys, tablesAt: &c.tables[level], blocksAt: &c.blocks[level]} {
		n, err := strconv.ParseUint(row[column], 10, 64)
		if err != nil {
			return err
		}
		*to = n
	}
	return nil
}
