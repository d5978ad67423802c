package main

import (
	"fmt"
	"slices"
)

// plainTree is the tree that most questions begin from: geth's library, and the block
// size and filters that geth has.
var plainTree = questionTree{name: "plain", engine: "pebblev2"}

// l0Tree is a natural tree with as many sublevels in L0 as its threshold lets stay. Its
// memtable is as small a share of it as a node's, so that a sublevel is; and all such trees
// stop writes alike.
func l0Tree(threshold, sublevels int) questionTree {
	options := slices.Concat(demoOptions, []string{
		"memtable_size=256KiB", "l0_stop_writes_threshold=64", fmt.Sprintf("l0_compaction_threshold=%d", threshold),
	})
	return questionTree{name: fmt.Sprintf("l0-%d", threshold), engine: "pebblev2", natural: true, sublevels: sublevels, options: options}
}

// questions are the prepared comparisons.
var questions = []question{
	{
		name:  "pebble-v1-v2",
		short: "Does Pebble v2 cost more reads than v1?",
		keys:  "5M",
		about: `pebble-v1-v2: does Pebble v2 cost more reads than Pebble v1?
One tree of a format that both versions read (13) is read by both.`,
		trees:  []questionTree{{name: "v1-format13", engine: "pebblev1", options: []string{"format=13"}}},
		sides:  []questionSide{{"v1", "v1-format13", "engine=pebblev1"}, {"v2", "v1-format13", "engine=pebblev2"}},
		absent: []float64{0},
	},
	{
		name:  "last-level-filter",
		short: "Would it pay to consult the filters of the last level?",
		keys:  "5M",
		about: `last-level-filter: would it pay to consult the filters of the last level?
Pebble's Get never does. One tree is read by Gets, and by iterators that seek each key
with the filters of all levels: for keys that exist, and for keys that do not. An iterator
asks every level, also those below the one that has the key: what it costs more there
is not the filters' doing.`,
		trees:  []questionTree{plainTree},
		sides:  []questionSide{{"Get", plainTree.name, ""}, {"all-filters", plainTree.name, settingLastFilter}},
		absent: []float64{0, 1},
	},
	{
		name:  "block-size",
		short: "What do data blocks of 4, 8, 16 and 32 KiB cost?",
		keys:  "5M",
		about: `block-size: what do data blocks of 4, 8, 16 and 32 KiB cost?
Four trees of the same tables with the same keys differ in the size of data blocks and in
nothing else; 4 KiB is geth's. Larger blocks take smaller indexes, and more bytes for
each read.`,
		trees: []questionTree{
			plainTree,
			{name: "block-8KiB", engine: "pebblev2", options: []string{"block_size=8KiB"}},
			{name: "block-16KiB", engine: "pebblev2", options: []string{"block_size=16KiB"}},
			{name: "block-32KiB", engine: "pebblev2", options: []string{"block_size=32KiB"}},
		},
		sides:  []questionSide{{"4KiB", plainTree.name, ""}, {"8KiB", "block-8KiB", ""}, {"16KiB", "block-16KiB", ""}, {"32KiB", "block-32KiB", ""}},
		absent: []float64{0},
	},
	{
		name:  "bloom-bits",
		short: "What do Bloom filters of 0, 5, 15 and 20 bits cost against 10?",
		keys:  "5M",
		about: `bloom-bits: what do Bloom filters of 0, 5, 15 and 20 bits per key cost against 10?
Five trees of the same tables with the same keys differ in the bits of their filters and
in nothing else; 10 is geth's, and 0 is none. More bits let fewer needless reads through, and
take more of the cache.`,
		trees: []questionTree{
			plainTree,
			{name: "bloom-0", engine: "pebblev2", options: []string{"bloom_bits=0"}},
			{name: "bloom-5", engine: "pebblev2", options: []string{"bloom_bits=5"}},
			{name: "bloom-15", engine: "pebblev2", options: []string{"bloom_bits=15"}},
			{name: "bloom-20", engine: "pebblev2", options: []string{"bloom_bits=20"}},
		},
		sides:  []questionSide{{"bits-10", plainTree.name, ""}, {"bits-0", "bloom-0", ""}, {"bits-5", "bloom-5", ""}, {"bits-15", "bloom-15", ""}, {"bits-20", "bloom-20", ""}},
		absent: []float64{0},
	},
	{
		name:  "l0-threshold",
		short: "What does it cost to let L0 grow before it is compacted?",
		keys:  "2M",
		about: `l0-threshold: what does it cost to let L0 grow before it is compacted?
Four trees grow of the same keys through the library's own write path, since its own
compactions leave what is asked about. They differ in the threshold at which it compacts L0:
2 (geth's), 4 (Pebble's), 8 and 16. It compacts when L0 has half as many sublevels, so that one
less may stay: 0, 1, 3 and 7. Each tree is brought there by overwriting 500 random keys at a
time: the verdicts are on the most that a threshold lets stay, not on its mean. Tables, levels
and memtable are scaled down, so that the trees have the levels of a large one, and the
memtable is as small a share of them as a node's.`,
		trees:  []questionTree{l0Tree(2, 0), l0Tree(4, 1), l0Tree(8, 3), l0Tree(16, 7)},
		sides:  []questionSide{{"l0-2", "l0-2", ""}, {"l0-4", "l0-4", ""}, {"l0-8", "l0-8", ""}, {"l0-16", "l0-16", ""}},
		absent: []float64{0},
	},
}
