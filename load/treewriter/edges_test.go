package treewriter_test

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"

	"getio/workload/dataset"
)

// edges counts the tables, blocks and levels that are edge cases.
type edges struct {
	oneRecord, oneBlock       int
	blockOfOne, lastOfOne     int
	atRestart, behindRestart  int // blocks that end right before a restart point, or one record later
	twoLevels, partitionOfOne int
	oneTable, manyTables      int // in a level
}

// missing names the edge cases that were not seen.
func (e *edges) missing() (names []string) {
	for name, n := range map[string]int{
		"a table of one record": e.oneRecord, "a table of one block": e.oneBlock,
		"a block of one record": e.blockOfOne, "a last block of one record": e.lastOfOne,
		"a block that ends at a restart point": e.atRestart, "a block that ends a record behind one": e.behindRestart,
		"a second level of index": e.twoLevels, "a partition of one entry": e.partitionOfOne,
		"a level of one table": e.oneTable, "a level of many tables": e.manyTables,
	} {
		if n == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// table counts the edge cases of a table written by the library, whose blocks have the given keys.
func (e *edges) table(t *testing.T, truth []byte, interval int, layout *sstable.Layout, blocks [][][]byte) {
	count := func(n *int, seen bool) {
		if seen {
			*n++
		}
	}
	last := blocks[len(blocks)-1]
	count(&e.oneRecord, len(blocks) == 1 && len(last) == 1)
	count(&e.oneBlock, len(blocks) == 1)
	count(&e.lastOfOne, len(blocks) > 1 && len(last) == 1 && len(blocks[0]) > 1)
	for _, keys := range blocks[:len(blocks)-1] {
		count(&e.blockOfOne, len(keys) == 1)
		count(&e.atRestart, interval > 1 && len(keys)%interval == 0)
		count(&e.behindRestart, interval > 1 && len(keys) > 1 && len(keys)%interval == 1)
	}
	count(&e.twoLevels, len(layout.Index) > 1)
	for _, h := range layout.Index {
		stored := truth[h.Offset : h.Offset+h.Length+block.TrailerLen]
		count(&e.partitionOfOne, len(layout.Index) > 1 && len(entryKeys(t, stored)) == 1)
	}
}

// levels counts the levels of one table and those of many.
func (e *edges) levels(list []dataset.Table) {
	tables := map[int]int{}
	for _, t := range list {
		tables[t.Level]++
	}
	for _, n := range tables {
		if n == 1 {
			e.oneTable++
		} else {
			e.manyTables++
		}
	}
}
