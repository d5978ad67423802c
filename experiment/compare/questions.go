package compare

import (
	"fmt"
	"slices"

	"getio/experiment/preparation"
)

// plainTree has the library, block size and filters of geth.
var plainTree = tree{name: "plain", engine: "pebblev2"}

// changed returns plainTree with other options.
func changed(name string, options ...string) tree {
	return tree{name: name, engine: plainTree.engine, options: options}
}

// l0Tree returns a natural tree with the most sublevels that the threshold leaves in L0. Memtable
// and sublevels are as small a share of the tree as a node's. All such trees stop writes at the
// same number of sublevels.
func l0Tree(threshold, sublevels int) tree {
	options := slices.Concat(preparation.ScaledOptions, []string{
		"memtable_size=256KiB", "l0_stop_writes_threshold=64", fmt.Sprintf("l0_compaction_threshold=%d", threshold),
	})
	return tree{name: fmt.Sprintf("l0-%d", threshold), engine: "pebblev2", natural: true, sublevels: sublevels, options: options}
}

// format13 has a format that both versions of Pebble read.
var format13 = tree{name: "v1-format13", engine: "pebblev1", options: []string{"format=13"}}

// Questions are the ready-made comparisons.
var Questions = []Question{
	{
		Name:  "pebble-v1-v2",
		Short: "Does Pebble v2 cost more reads than v1?",
		Keys:  "5M",
		About: `pebble-v1-v2: does Pebble v2 cost more reads than Pebble v1?
Both read the same tree, in a format that both know (format major version 13).`,
		sides:  []treeSide{{label: "v1", tree: format13, engine: "pebblev1"}, {label: "v2", tree: format13, engine: "pebblev2"}},
		absent: []float64{0},
	},
	{
		Name:  "last-level-filter",
		Short: "Would the filters of the last level save reads?",
		Keys:  "5M",
		About: `last-level-filter: would the filters of the last level save reads?
Pebble's Get never consults them. The same tree is read in two ways: by Gets, and by iterators that
use the filters of all levels. Both look up keys that exist, and then keys that do not.`,
		sides:  []treeSide{{label: "Get", tree: plainTree}, {label: "all-filters", tree: plainTree, lastLevelFilters: true}},
		absent: []float64{0, 1},
	},
	{
		Name:  "block-size",
		Short: "What do data blocks of 4, 8, 16 and 32 KiB cost?",
		Keys:  "5M",
		About: `block-size: what do data blocks of 4, 8, 16 and 32 KiB cost?
Four trees with the same keys differ only in the size of their data blocks; 4 KiB is
geth's. Larger blocks make the index smaller, but each read fetches more bytes.`,
		sides: []treeSide{
			{label: "4KiB", tree: plainTree},
			{label: "8KiB", tree: changed("block-8KiB", "block_size=8KiB")},
			{label: "16KiB", tree: changed("block-16KiB", "block_size=16KiB")},
			{label: "32KiB", tree: changed("block-32KiB", "block_size=32KiB")},
		},
		absent: []float64{0},
	},
	{
		Name:  "bloom-bits",
		Short: "What do filters of 0, 5, 10, 15 and 20 bits per key cost?",
		Keys:  "5M",
		About: `bloom-bits: what do Bloom filters of 0, 5, 10, 15 and 20 bits per key cost?
Five trees with the same keys differ only in the bits of their filters: 10 is geth's, and
0 means no filters. More bits prevent more needless reads, but use more of the cache.`,
		sides: []treeSide{
			{label: "bits-10", tree: plainTree},
			{label: "bits-0", tree: changed("bloom-0", "bloom_bits=0")},
			{label: "bits-5", tree: changed("bloom-5", "bloom_bits=5")},
			{label: "bits-15", tree: changed("bloom-15", "bloom_bits=15")},
			{label: "bits-20", tree: changed("bloom-20", "bloom_bits=20")},
		},
		absent: []float64{0},
	},
	{
		Name:  "l0-threshold",
		Short: "What does it cost to let L0 grow before it is compacted?",
		Keys:  "2M",
		About: `l0-threshold: what does it cost to let L0 grow before it is compacted?
Four trees with the same keys differ in Pebble's option l0_compaction_threshold:

  l0_compaction_threshold     2 (geth's)  4 (Pebble's)  8  16
  Pebble compacts L0 from     1           2             4  8 sublevels
  L0 of the tree has          0           1             3  7 sublevels

A sublevel is a set of tables in L0 that do not overlap.`,
		sides: []treeSide{
			{label: "l0-2", tree: l0Tree(2, 0)}, {label: "l0-4", tree: l0Tree(4, 1)},
			{label: "l0-8", tree: l0Tree(8, 3)}, {label: "l0-16", tree: l0Tree(16, 7)},
		},
		absent: []float64{0},
	},
}
