package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"getio/engine/lsm"
	"getio/numbers/units"
)

// ownOption is an option of Pebble's options file that shapes the tree or the cost of its
// reads, under getio's name.
type ownOption struct {
	name, key string
	text      func(string) string
}

var databaseOptions = []ownOption{
	{"cache_size", "cache_size", bytesText},
	{"l0_compaction_threshold", "l0_compaction_threshold", same},
	{"l0_stop_writes_threshold", "l0_stop_writes_threshold", same},
	{"lbase_max_bytes", "lbase_max_bytes", bytesText},
	{"max_open_files", "max_open_files", same},
	{"memtable_size", "mem_table_size", bytesText},
	{"memtable_stop_writes", "mem_table_stop_writes_threshold", same},
}

var levelOptions = []ownOption{
	{"block_restart_interval", "block_restart_interval", same},
	{"block_size", "block_size", bytesText},
	{"compression", "compression", strings.ToLower},
	{"filter", "filter_policy", filterText},
	{"index_block_size", "index_block_size", bytesText},
	{"target_file_size", "target_file_size", bytesText},
}

// Written returns the options in the database's options file, under getio's names.
func (i Info) Written() map[string]string {
	written := i.OptionsFile
	options := map[string]string{}
	for _, o := range databaseOptions {
		if value, ok := written["Options."+o.key]; ok {
			options[o.name] = o.text(value)
		}
	}
	for _, o := range levelOptions {
		addLevels(options, o, written)
	}
	return options
}

// addLevels adds a per-level option, once if all levels agree. The library leaves out
// levels that repeat the one above.
func addLevels(options map[string]string, o ownOption, written map[string]string) {
	value, ok := written[levelKey(0, o.key)]
	if !ok {
		return
	}
	var values []string
	for level := range lsm.NumLevels {
		if v, ok := written[levelKey(level, o.key)]; ok {
			value = v
		}
		values = append(values, o.text(value))
	}
	if len(slices.Compact(slices.Clone(values))) == 1 {
		options[o.name] = values[0]
		return
	}
	for level, v := range values {
		options[fmt.Sprintf("%s.L%d", o.name, level)] = v
	}
}

func levelKey(level int, key string) string { return fmt.Sprintf("Level \"%d\".%s", level, key) }

func same(s string) string { return s }

// bytesText writes a size as options are given; anything but a size, and 0, stays as it is.
func bytesText(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n == 0 {
		return s
	}
	return units.Exact(n)
}

// filterText shortens the name of Pebble's one policy.
func filterText(policy string) string {
	if policy == "rocksdb.BuiltinBloomFilter" {
		return "bloom"
	}
	return policy
}
