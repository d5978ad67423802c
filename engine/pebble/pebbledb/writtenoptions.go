package pebbledb

import (
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
var irrelevant = strings.Fields(`
	block_restart_interval block_size block_size_threshold bytes_per_sync cleaner compaction_debt_concurrency
	compaction_garbage_fraction_for_max_concurrency compression concurrent_compactions create_on_shared
	delete_range_flush_delay deletion_size_ratio_threshold disable_delete_only_compactions
	disable_elision_only_compactions disable_ingest_as_flushable disable_lazy_combined_iteration disable_wal
	elevated_write_stall_threshold_lag enable_columnar_blocks enabled filter_type flush_delay_delete_range
	flush_delay_range_key flush_split_bytes force_writer_parallelism free_space_threshold_bytes free_space_timeframe
	healthy_interval healthy_probe_latency_threshold index_block_size l0_compaction_concurrency
	l0_compaction_file_threshold l0_compaction_threshold l0_stop_writes_threshold l0_sublevel_compactions
	lbase_max_bytes level_multiplier max_blob_reference_depth max_concurrent_compactions max_concurrent_downloads
	max_manifest_file_size max_writer_concurrency mem_table_size mem_table_stop_writes_threshold min_compaction_rate
	min_deletion_rate min_flush_rate minimum_size multilevel_compaction_heuristic num_deletions_threshold
	obsolete_bytes_max_ratio obsolete_bytes_timeframe pebble_version point_tombstone_weight primary_dir_probe_interval
	read_compaction_rate read_sampling_multiplier rewrite_minimum_age strict_wal_tail table_format
	table_property_collectors target_file_size target_garbage_ratio tombstone_dense_compaction_threshold
	unhealthy_operation_latency_threshold unhealthy_sampling_interval validate_on_ingest wal_bytes_per_sync`)

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
