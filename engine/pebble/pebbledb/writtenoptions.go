package pebbledb

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The options that decide something about reads. Caches and open files are left to the user, and the log's directories
// are searched (Logs). A library refuses other comparers and key schemas.
var decisive = strings.Fields(`cache_size comparer filter_policy format_major_version key_schema max_open_files merger
	secondary_cache_size_bytes secondary_dir table_cache_shards wal_dir`)

// bloomFilters are the values of filter_policy with which a client reads the filters that getio reads.
var bloomFilters = []string{"", "none", "rocksdb.BuiltinBloomFilter"}

// irrelevant are options that decide nothing about Gets of a tree that does not change. Some exist only in some
// versions; tables say what they were written with. A database whose tables are remote is refused.
var irrelevant = strings.Fields(irrelevantText)

//go:embed irrelevant.txt
var irrelevantText string

// unlikeClient says in which way a client with the options of an OPTIONS file reads the database otherwise than getio.
func unlikeClient(written map[string]string) (texts []string) {
	for _, key := range slices.Sorted(maps.Keys(written)) {
		section, name, _ := strings.Cut(key, ".")
		value := written[key]
		switch {
		case name == "filter_policy" && !slices.Contains(bloomFilters, value):
			texts = append(texts, fmt.Sprintf("with filter_policy=%s (%s), the client may read filters that getio does not", value, section))
		case name == "secondary_cache_size_bytes" && value != "0":
			texts = append(texts, fmt.Sprintf("with %s=%s, the client has a second cache", name, value))
		case !slices.Contains(decisive, name) && !slices.Contains(irrelevant, name):
			texts = append(texts, fmt.Sprintf("%s=%s is not known to getio", name, value))
		}
	}
	return texts
}
