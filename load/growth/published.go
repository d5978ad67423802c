package growth

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// publishedCounts holds the figures of a tree that numbers/published/shapes.csv has in full.
type publishedCounts struct {
	keys           uint64
	tables, blocks [lsm.NumLevels]uint64
}

// plan returns the tree's plan. L6 gets the records that remain.
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

// publishedTree reads the rows of one tree.
func publishedTree(name string) (*publishedCounts, error) {
	rows, err := csv.NewReader(strings.NewReader(published.Shapes)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("numbers/published/shapes.csv cannot be read: %w", err)
	}
	var tree publishedCounts
	for _, row := range rows {
		if row[0] != name {
			continue
		}
		if err := tree.add(row); err != nil {
			return nil, fmt.Errorf("numbers/published/shapes.csv, %s: %w", strings.Join(row[:3], " "), err)
		}
	}
	if tree.keys == 0 {
		return nil, fmt.Errorf("no published tree is called %q: choose among %s", name, strings.Join(Names, ", "))
	}
	return &tree, nil
}

// add takes a level's figures from its row. It ignores the row of totals.
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
