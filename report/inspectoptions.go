package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"getio/engine"
	"getio/engine/lsm"
	"getio/numbers/units"
	"getio/workload/dataset"
)

// inspectOptions writes the options that the database was written with, and those of
// reading it that differ.
func inspectOptions(p *printer, info engine.Info, manifest *dataset.Manifest, config map[string]string) {
	written, source := writtenOptions(info, manifest)
	if written == nil && config == nil {
		return
	}
	p.blank()
	if written != nil {
		p.field("Written with", compact(written))
		p.field("", "("+source+")")
	}
	if config != nil {
		p.field("Read with", readOptions(written, config, manifest))
	}
	if strings.Contains(compact(written)+compact(config), "/") {
		p.field("", "Values separated by / are for L0, L1 and so on; of target_file_size, for L0, the base level and those below.")
	}
}

// writtenOptions prefers the manifest, which has every option and the number of filter
// bits, to the database's own options file.
func writtenOptions(info engine.Info, manifest *dataset.Manifest) (options map[string]string, source string) {
	if manifest != nil && len(manifest.Options) > 0 {
		return manifest.Options, "from " + dataset.ManifestName
	}
	if options := ownOptions(info.OptionsFile); len(options) > 0 {
		return options, "from the database's own options file, as of the last time it was opened for writing"
	}
	return nil, ""
}

// readOptions lists only the differences where both lists have the same names.
func readOptions(written, config map[string]string, manifest *dataset.Manifest) string {
	if manifest == nil || len(manifest.Options) == 0 {
		return compact(config)
	}
	differing := map[string]string{}
	for name, value := range config {
		if written[name] != value {
			differing[name] = value
		}
	}
	if len(differing) == 0 {
		return "the same options"
	}
	return "the same options, except " + compact(differing)
}

// compact writes options in the order of their names. Those that are set per level
// (NAME.L0 to NAME.L6) are one, with a slash between levels.
func compact(options map[string]string) string {
	var parts []string
	for _, name := range sortedKeys(options) {
		base, level, perLevel := strings.Cut(name, ".L")
		values, all := levelValues(base, options)
		switch {
		case perLevel && all && level != "0":
			continue // is part of the option's L0
		case perLevel && all:
			parts = append(parts, base+"="+values)
		default:
			parts = append(parts, name+"="+options[name])
		}
	}
	return strings.Join(parts, " ")
}

// levelValues joins an option's values on all levels, if it has all of them.
func levelValues(base string, options map[string]string) (joined string, all bool) {
	values := make([]string, lsm.NumLevels)
	for level := range values {
		value, ok := options[fmt.Sprintf("%s.L%d", base, level)]
		if !ok {
			return "", false
		}
		values[level] = value
	}
	return strings.Join(values, "/"), true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

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

// ownOptions picks these options out of a database's own options file.
func ownOptions(written map[string]string) map[string]string {
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
