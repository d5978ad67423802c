package compare

import (
	"fmt"
	"slices"

	"getio/experiment/prepare"
)

// plainTree is the tree that most questions begin from: geth's library, and the block
// size and filters that geth has.
var plainTree = tree{name: "plain", engine: "pebblev2"}

// l0Tree is a natural tree with as many sublevels in L0 as its threshold lets stay. Its
// memtable is as small a share of it as a node's, so that a sublevel is; and all such trees
// stop writes alike.
func l0Tree(threshold, sublevels int) tree {
	options := slices.Concat(prepare.ScaledOptions, []string{
		"memtable_size=256KiB", "l0_stop_writes_threshold=64", fmt.Sprintf("l0_compaction_threshold=%d", threshold),
	})
	return tree{name: fmt.Sprintf("l0-%d", threshold), engine: "pebblev2", natural: true, sublevels: sublevels, options: options}
}

// Questions are the prepared comparisons.
var Questions = []Question{
	{
		Name:  "pebble-v1-v2",
		Short: "Does Pebble v2 cost more reads than v1?",
		Keys:  "5M",
		About: `pebble-v1-v2: does Pebble v2 cost more reads than Pebble v1?
One tree of a format that both versions read (13) is read by both.`,
		trees:  []tree{{name: "v1-format13", engine: "pebblev1", options: []string{"format=13"}}},
		sides:  []treeSide{{label: "v1", tree: "v1-format13", engine: "pebblev1"}, {label: "v2", tree: "v1-format13", engine: "pebblev2"}},
		absent: []float64{0},
	},
	{
		Name:  "last-level-filter",
		Short: "Would it pay to consult the filters of the last level?",
		Keys:  "5M",
		About: `last-level-filter: would it pay to consult the filters of the last level?
Pebble's Get never does. One tree is read by Gets, and by iterators that seek each key
with the filters of all levels: for keys that exist, and for keys that do not. An iterator
asks every level, also those below the one that has the key: what it costs more there
is not the filters' doing.`,
		trees:  []tree{plainTree},
		sides:  []treeSide{{label: "Get", tree: plainTree.name}, {label: "all-filters", tree: plainTree.name, lastLevelFilters: true}},
		absent: []float64{0, 1},
	},
	{
		Name:  "block-size",
		Short: "What do data blocks of 4, 8, 16 and 32 KiB cost?",
		Keys:  "5M",
		About: `block-size: what do data blocks of 4, 8, 16 and 32 KiB cost?
Four trees of the same tables with the same keys differ in the size of data blocks and in
nothing else; 4 KiB is geth's. Larger blocks take smaller indexes, and more bytes for
each read.`,
		trees: []tree{
			plainTree,
			{name: "block-8KiB", engine: "pebblev2", options: []string{"block_size=8KiB"}},
			{name: "block-16KiB", engine: "pebblev2", options: []string{"block_size=16KiB"}},
			{name: "block-32KiB", engine: "pebblev2", options: []string{"block_size=32KiB"}},
		},
		sides:  []treeSide{{label: "4KiB", tree: plainTree.name}, {label: "8KiB", tree: "block-8KiB"}, {label: "16KiB", tree: "block-16KiB"}, {label: "32KiB", tree: "block-32KiB"}},
		absent: []float64{0},
	},
	{
		Name:  "bloom-bits",
		Short: "What do Bloom filters of 0, 5, 15 and 20 bits cost against 10?",
		Keys:  "5M",
		About: `bloom-bits: what do Bloom filters of 0, 5, 15 and 20 bits per key cost against 10?
Five trees of the same tables with the same keys differ in the bits of their filters and
in nothing else; 10 is geth's, and 0 is none. More bits let fewer needless reads through, and
take more of the cache.`,
		trees: []tree{
			plainTree,
			{name: "bloom-0", engine: "pebblev2", options: []string{"bloom_bits=0"}},
			{name: "bloom-5", engine: "pebblev2", options: []string{"bloom_bits=5"}},
			{name: "bloom-15", engine: "pebblev2", options: []string{"bloom_bits=15"}},
			{name: "bloom-20", engine: "pebblev2", options: []string{"bloom_bits=20"}},
		},
		sides:  []treeSide{{label: "bits-10", tree: plainTree.name}, {label: "bits-0", tree: "bloom-0"}, {label: "bits-5", tree: "bloom-5"}, {label: "bits-15", tree: "bloom-15"}, {label: "bits-20", tree: "bloom-20"}},
		absent: []float64{0},
	},
	{
		Name:  "l0-threshold",
		Short: "What does it cost to let L0 grow before it is compacted?",
		Keys:  "2M",
		About: `l0-threshold: what does it cost to let L0 grow before it is compacted?
Four trees grow of the same keys through the library's own write path, since its own
compactions leave what is asked about. They differ in the threshold at which it compacts L0:
2 (geth's), 4 (Pebble's), 8 and 16. It compacts when L0 has half as many sublevels, so that one
less may stay: 0, 1, 3 and 7. Each tree is brought there by overwriting 500 random keys at a
time: the verdicts are on the most that a threshold lets stay, not on its mean. Tables, levels
and memtable are scaled down, so that the trees have the levels of a large one, and the
memtable is as small a share of them as a node's.`,
		trees:  []tree{l0Tree(2, 0), l0Tree(4, 1), l0Tree(8, 3), l0Tree(16, 7)},
		sides:  []treeSide{{label: "l0-2", tree: "l0-2"}, {label: "l0-4", tree: "l0-4"}, {label: "l0-8", tree: "l0-8"}, {label: "l0-16", tree: "l0-16"}},
		absent: []float64{0},
	},
}
