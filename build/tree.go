package build

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"getio/dataset"
	"getio/lsm"
)

// Tree gives keys to the tables of a shape: so many as they have records, in
// ranges of first 64 bits that end where theirs do. Files are numbered from
// firstFile on.
func Tree(shape *lsm.Shape, firstFile uint64) (*dataset.Tree, error) {
	var tables []dataset.Table
	for _, level := range shape.Levels {
		if int64(len(level.TableList)) != level.Tables {
			return nil, fmt.Errorf("the shape lists %d of %d tables of L%d: write it with 'getio inspect DIR --shape'", len(level.TableList), level.Tables, level.Level)
		}
		for sublevel, run := range runs(level) {
			placed, err := place(run, level.Level, sublevel)
			if err != nil {
				return nil, fmt.Errorf("the shape's L%d: %w", level.Level, err)
			}
			tables = append(tables, placed...)
		}
	}
	if len(tables) == 0 {
		return nil, errors.New("the shape has no tables: name one with records")
	}
	for i := range tables {
		tables[i].File = firstFile + uint64(i)
	}
	return dataset.NewTree(tables)
}

// runs are the sorted runs of a level: one for each sublevel of L0.
func runs(level lsm.Level) [][]lsm.Table {
	if level.Level > 0 {
		return [][]lsm.Table{level.TableList}
	}
	sublevels := make([][]lsm.Table, level.Sublevels)
	for _, t := range level.TableList {
		for t.Sublevel >= len(sublevels) {
			sublevels = append(sublevels, nil)
		}
		sublevels[t.Sublevel] = append(sublevels[t.Sublevel], t)
	}
	return sublevels
}

// place gives each table of a run its range. Bounds of keys that share their
// first 64 bits, as those of a real database may, leave a range too narrow for
// its records: it is widened, and what follows moves up.
func place(run []lsm.Table, level, sublevel int) ([]dataset.Table, error) {
	placed := make([]dataset.Table, 0, len(run))
	var free uint64 // the first prefix that no table has
	for _, t := range run {
		if t.Records <= 0 {
			continue // nothing but range deletions
		}
		first := max(prefix(t.Smallest), free)
		last := prefix(t.Largest)
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
			Level: level, Sublevel: sublevel, First: dataset.Prefix(first), Last: dataset.Prefix(last), Keys: uint64(t.Records),
		})
	}
	return placed, nil
}

// prefix is the first 64 bits of a key.
func prefix(key lsm.Key) uint64 {
	var first [8]byte
	copy(first[:], key)
	return binary.BigEndian.Uint64(first[:])
}
