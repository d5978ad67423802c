package treewriter

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"getio/engine/lsm"
	"getio/workload/dataset"
)

// Tree returns a tree with the tables of a shape. Each table has as many keys as it has records
// in the shape, in a range of 64-bit key prefixes that ends where the shape's table ends. Files
// are numbered from firstFile.
func Tree(shape *lsm.Shape, firstFile uint64) (*dataset.Tree, error) {
	tables, err := placed(shape)
	if err != nil {
		return nil, fmt.Errorf("the shape makes no tree (%w): write it again with 'getio inspect DIR --shape FILE'", err)
	}
	for i := range tables {
		tables[i].File = firstFile + uint64(i)
	}
	return dataset.NewTree(tables)
}

// placed returns the shape's tables with their ranges, in tree order.
func placed(shape *lsm.Shape) (tables []dataset.Table, err error) {
	before := -1
	for _, level := range shape.Levels {
		if level.Level <= before || level.Level >= lsm.NumLevels {
			return nil, fmt.Errorf("its levels are not some of L0 to L%d in order", lsm.NumLevels-1)
		}
		before = level.Level
		if int64(len(level.TableList)) != level.Tables {
			return nil, fmt.Errorf("it lists %d of %d tables of L%d", len(level.TableList), level.Tables, level.Level)
		}
		for _, t := range level.TableList {
			if t.Sublevel < 0 || t.Sublevel >= len(level.TableList) || t.Sublevel > 0 && level.Level > 0 {
				return nil, fmt.Errorf("file %06d is in sublevel %d of L%d, which has none of that number", t.File, t.Sublevel, level.Level)
			}
		}
		for _, run := range level.Runs() {
			list, err := place(run, level.Level)
			if err != nil {
				return nil, fmt.Errorf("its L%d: %w", level.Level, err)
			}
			tables = append(tables, list...)
		}
	}
	if len(tables) == 0 {
		return nil, errors.New("it has no tables with records")
	}
	return tables, nil
}

// place assigns a range to each table of a run. If the bounds share their first 64 bits, as they
// may in a real database, the range is too narrow for the records: place widens it and moves
// the following ranges up.
func place(run []lsm.Table, level int) ([]dataset.Table, error) {
	placed := make([]dataset.Table, 0, len(run))
	var free uint64 // the first free prefix
	for i, t := range run {
		if i > 0 && bytes.Compare(t.Smallest, run[i-1].Largest) < 0 {
			return nil, fmt.Errorf("the files %06d and %06d overlap", run[i-1].File, t.File)
		}
		if t.Records <= 0 {
			continue // only range deletions
		}
		first := max(t.Smallest.Prefix(), free)
		last := t.Largest.Prefix()
		if last < math.MaxUint64 {
			last++
		}
		if keys := uint64(t.Records); last < first || last-first < keys {
			if first > math.MaxUint64-keys {
				return nil, fmt.Errorf("the key space has no room for the %d records of file %06d", t.Records, t.File)
			}
			last = first + keys
		}
		free = last
		placed = append(placed, dataset.Table{
			Level: level, Sublevel: t.Sublevel, First: dataset.Prefix(first), Last: dataset.Prefix(last), Keys: uint64(t.Records),
		})
	}
	return placed, nil
}
