//go:build rocksdb

package rocksdb

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"getio/engine/filelimit"
)

// Sections of an options file. Those of a column family also name it.
const (
	databaseSection = "DBOptions"
	familySection   = "CFOptions"
	tableSection    = "TableOptions/BlockBasedTable"
)

// chosen are the options of an options file that a configuration has too, by name, with their section: what the
// file says of the column family applies unless the user chooses another value.
var chosen = map[string]string{
	"max_open_files":                                   databaseSection,
	"optimize_filters_for_hits":                        familySection,
	"prefix_extractor":                                 familySection,
	"cache_index_and_filter_blocks":                    tableSection,
	"cache_index_and_filter_blocks_with_high_priority": tableSection,
	"filter_policy":                                    tableSection,
	"metadata_cache_options":                           tableSection,
	"pin_l0_filter_and_index_blocks_in_cache":          tableSection,
	"pin_top_level_index_and_filter":                   tableSection,
	"whole_key_filtering":                              tableSection,
}

// kept are the options that apply as the file states them. Nobody measures with others.
var kept = map[string][]string{
	databaseSection: strings.Fields(`table_cache_numshardbits wal_recovery_mode`),
	familySection:   strings.Fields(`max_sequential_skip_in_iterations`),
	tableSection:    strings.Fields(`initial_auto_readahead_size max_auto_readahead_size num_file_reads_for_auto_readahead`),
}

// examined are options that getio acts on in another way than by passing them to the library: it opens the tree with as
// many levels as it has, refuses other comparators and tables, stands in for the merge operator, and finds and replays the log.
var examined = map[string][]string{
	databaseSection: strings.Fields(`allow_2pc wal_dir`),
	familySection:   strings.Fields(`comparator merge_operator num_levels table_factory`),
}

// notApplied are options with which a client reads otherwise than getio, with the values for which it does not.
var notApplied = map[string]map[string]unapplied{
	databaseSection: {
		"advise_random_on_open": {"true", "the kernel may read ahead of the client's reads"},
		"allow_mmap_reads":      {"false", "the client's cache holds no blocks that are not compressed"},
		"fast_sst_open":         {"false", "the client reads less when it opens a table"},
		"use_direct_reads":      {"false", "the client's reads bypass the page cache, as with --page-cache bypass"},
		"wal_filter":            {null, "the client leaves out records of its log"},
	},
	tableSection: {
		"fail_if_no_udi_on_open":     {"false", "the client reads another index"},
		"no_block_cache":             {"false", "the client has no block cache, as with --cache 0"},
		"use_udi_as_primary_index":   {"false", "the client reads another index"},
		"user_defined_index_factory": {null, "the client reads another index"},
	},
}

// unapplied is an option that getio does not apply.
type unapplied struct {
	same  string // the value with which the client reads as getio does
	means string // any other value
}

// irrelevant are options that decide nothing about reads of a tree that does not change: of writes, memtables,
// logs, compactions, threads, checks and messages. Some exist only in some versions from 7.0 to 11.8. What memtables,
// and caches that are not in the file, do to a client's reads is in docs/limits.md.
var irrelevant = bySection(irrelevantText)

//go:embed irrelevant.txt
var irrelevantText string

// bySection lists the words below each section of a text.
func bySection(text string) map[string][]string {
	words, section := map[string][]string{}, ""
	for word := range strings.FieldsSeq(text) {
		if name, ok := strings.CutPrefix(word, "["); ok {
			section = strings.TrimSuffix(name, "]")
		} else {
			words[section] = append(words[section], word)
		}
	}
	return words
}

// known reports whether getio knows what an option does to reads.
func known(section, name string) bool {
	_, warned := notApplied[section][name]
	return warned || chosen[name] == section || slices.Contains(kept[section], name) ||
		slices.Contains(examined[section], name) || slices.Contains(irrelevant[section], name)
}

// lines lists the options of a configuration that both reading and writing take, for the library.
func (c *config) lines() string {
	var b strings.Builder
	for _, o := range options {
		section, ok := chosen[o.Name]
		if !ok || o.Name == "max_open_files" || o.Name == "filter_policy" { // given apart
			continue
		}
		fmt.Fprintf(&b, "%s.%s=%s\n", section, o.Name, o.Get(c, 0))
	}
	return b.String()
}

// familyOptions are the options that an options file states for the database and one column family, by section.
func (d *directory) familyOptions(family string) map[string]map[string]string {
	sections := map[string]map[string]string{}
	for section, written := range map[string]string{
		databaseSection: databaseSection,
		familySection:   familyOf(familySection, family),
		tableSection:    familyOf(tableSection, family),
	} {
		sections[section] = map[string]string{}
		for name, value := range d.written {
			if option, ok := strings.CutPrefix(name, written+"."); ok {
				sections[section][option] = value
			}
		}
	}
	return sections
}

// readingOptions returns the options for reading a column family that the database's own options file states.
func (d *directory) readingOptions(family string) (options []string) {
	sections := d.familyOptions(family)
	for name, section := range chosen {
		value, ok := sections[section][name]
		if ok && name == "max_open_files" {
			value, ok = mostOpenFiles(value)
		}
		if ok {
			options = append(options, name+"="+value)
		}
	}
	slices.Sort(options)
	return options
}

// mostOpenFiles returns a number of open tables from an options file, or as many as this process may have open. ok is
// false for "all" and for anything else that is not a number.
func mostOpenFiles(value string) (files string, ok bool) {
	var n int
	if _, err := fmt.Sscan(value, &n); err != nil || n < 0 {
		return "", false
	}
	return fmt.Sprint(max(minOpenFiles, min(n, filelimit.ForDatabase()))), true
}

// keptLines lists the options that apply as they are written, and where the log is, for the library.
func (d *directory) keptLines(family string) string {
	var b strings.Builder
	if d.logDir != d.path {
		fmt.Fprintf(&b, "%s.wal_dir=%s\n", databaseSection, d.logDir)
	}
	for section, options := range d.familyOptions(family) {
		for _, name := range kept[section] {
			if value, ok := options[name]; ok {
				fmt.Fprintf(&b, "%s.%s=%s\n", section, name, value)
			}
		}
	}
	return b.String()
}

// unlikeClient says in which way a client with the database's own options reads the column family otherwise than getio.
func (d *directory) unlikeClient(family string) (texts []string) {
	sections := d.familyOptions(family)
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		for _, name := range slices.Sorted(maps.Keys(sections[section])) {
			value := sections[section][name]
			switch option, ok := notApplied[section][name]; {
			case ok && value != option.same:
				texts = append(texts, fmt.Sprintf("with %s=%s, %s", name, value, option.means))
			case !known(section, name):
				texts = append(texts, fmt.Sprintf("%s=%s is not known to getio", name, value))
			}
		}
	}
	return texts
}
