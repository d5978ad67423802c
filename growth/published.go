package growth

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"getio/lsm"
	"getio/published"
)

// Names of the published trees, by size.
var Names = []string{"small", "medium", "large"}

// Published returns a tree with the levels of a published one: keys and tables
// per level are the published ones, and how tables lie in a level is modelled
// as by Of.
//
// The study printed records with two or three digits, but counts of data blocks
// in full; records follow from those.
func Published(name string, seed uint64) (*lsm.Shape, error) {
	levels, err := publishedLevels(name)
	if err != nil {
		return nil, err
	}
	var tables [lsm.NumLevels][]lsm.Table
	for level, t := range levels {
		tables[level] = t.tables(newStream(seed, level))
	}
	return lsm.NewShape(tables), nil
}

// publishedLevels gives every level its records: those of L6 are what remains.
func publishedLevels(name string) (totals [lsm.NumLevels]total, err error) {
	keys, blocks, counts, err := publishedBlocks(name)
	if err != nil {
		return totals, err
	}
	base := slices.IndexFunc(counts[1:], func(n int) bool { return n > 0 }) + 1
	rest := keys
	for level := range totals {
		t := total{level: level, depth: level - base, count: counts[level], records: rest}
		if level < lastLevel {
			t.records = recordsOf(t, blocks[level])
		}
		rest -= t.records
		totals[level] = t
	}
	return totals, nil
}

// recordsOf estimates the records in a level's data blocks. Neighbouring keys
// share more of their first bytes the more densely they lie, so that blocks
// take in more of them, and how densely they lie depends on their number.
func recordsOf(t total, blocks uint64) uint64 {
	const dense = 27
	records := dense * float64(blocks)
	for range 3 {
		records = perBlock(records/habitOf(t).coverage) * float64(blocks)
	}
	return uint64(math.Round(records))
}

// perBlock is the number of records in a block of 4 KiB, for keys of 32 bytes
// with values of 110 and a density in records per key space: 26 to 27, as
// measured on the natural trees of the tests.
func perBlock(density float64) float64 {
	const few, many = 26.0, 27.0
	const sparse, dense = 3e6, 16e6 // where 27 begin to fit, and always do
	share := math.Log(density/sparse) / math.Log(dense/sparse)
	return few + (many-few)*min(max(share, 0), 1)
}

// publishedBlocks reads a tree's keys, and data blocks and tables per level.
func publishedBlocks(name string) (keys uint64, blocks [lsm.NumLevels]uint64, counts [lsm.NumLevels]int, err error) {
	const keysAt, levelAt, tablesAt, blocksAt = 1, 2, 3, 5 // columns
	rows, err := csv.NewReader(strings.NewReader(published.Shapes)).ReadAll()
	if err != nil {
		return 0, blocks, counts, fmt.Errorf("published/shapes.csv cannot be read: %w", err)
	}
	for _, row := range rows {
		if row[0] != name {
			continue
		}
		var n [3]uint64
		for i, column := range []int{keysAt, tablesAt, blocksAt} {
			if n[i], err = strconv.ParseUint(row[column], 10, 64); err != nil {
				return 0, blocks, counts, fmt.Errorf("published/shapes.csv, %s %s: %w", name, row[levelAt], err)
			}
		}
		keys = n[0]
		if level, err := strconv.Atoi(strings.TrimPrefix(row[levelAt], "L")); err == nil && level < lsm.NumLevels {
			counts[level], blocks[level] = int(n[1]), n[2]
		}
	}
	if keys == 0 {
		return 0, blocks, counts, fmt.Errorf("no published tree is called %q: choose among %s", name, strings.Join(Names, ", "))
	}
	return keys, blocks, counts, nil
}
