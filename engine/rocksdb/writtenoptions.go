//go:build rocksdb

package rocksdb

import (
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
var irrelevant = map[string][]string{
	databaseSection: strings.Fields(`
		access_hint_on_compaction_start allow_concurrent_memtable_write allow_data_in_errors allow_fallocate
		allow_ingest_behind allow_mmap_writes async_wal_precreate atomic_flush avoid_flush_during_recovery
		avoid_flush_during_shutdown avoid_unnecessary_blocking_io background_close_inactive_wals best_efforts_recovery
		bgerror_resume_retry_interval bytes_per_sync compaction_readahead_size compaction_verify_record_count
		create_if_missing create_missing_column_families daily_offpeak_time_utc db_host_id db_log_dir db_write_buffer_size
		delayed_write_rate delete_obsolete_files_period_micros dump_malloc_stats enable_pipelined_write
		enable_thread_tracking enable_write_thread_adaptive_yield enforce_single_del_contracts
		enforce_write_buffer_manager_during_recovery error_if_exists experimental_mempurge_threshold
		fail_if_options_file_error file_checksum_gen_factory flush_verify_memtable_count follower_catchup_retry_count
		follower_catchup_retry_wait_ms follower_refresh_catchup_period_ms info_log_level is_fd_close_on_exec
		keep_log_file_num listeners log_file_time_to_roll log_readahead_size lowest_used_cache_tier
		manifest_preallocation_size manual_wal_flush max_background_compactions max_background_flushes
		max_background_jobs max_bgerror_resume_count max_compaction_trigger_wakeup_seconds max_file_opening_threads
		max_log_file_size max_manifest_file_size max_manifest_space_amp_pct max_subcompactions max_total_wal_size
		max_write_batch_group_size_bytes metadata_write_temperature new_table_reader_for_compaction_inputs
		open_files_async optimize_manifest_for_recovery paranoid_checks persist_stats_to_disk prefix_seek_opt_in_only
		preserve_deletes random_access_max_buffer_size read_io_executor_threads recycle_log_file_num
		reuse_manifest_on_open skip_checking_sst_file_sizes_on_db_open skip_log_error_on_recovery
		skip_stats_update_on_db_open stats_dump_period_sec stats_history_buffer_size stats_persist_period_sec
		strict_bytes_per_sync track_and_verify_wals track_and_verify_wals_in_manifest two_write_queues unordered_write
		use_adaptive_mutex use_direct_io_for_compaction_reads use_direct_io_for_flush_and_compaction use_fsync
		verify_manifest_content_on_close verify_sst_unique_id_in_manifest wal_bytes_per_sync wal_compression
		WAL_size_limit_MB WAL_ttl_seconds wal_write_temperature writable_file_max_buffer_size write_dbid_to_manifest
		write_identity_file write_thread_max_yield_usec write_thread_slow_yield_usec`),
	familySection: strings.Fields(`
		arena_block_size blob_compaction_readahead_size blob_compression_opts blob_compression_type
		blob_direct_write_partitions blob_file_size blob_file_starting_level blob_garbage_collection_age_cutoff
		blob_garbage_collection_force_threshold block_protection_bytes_per_key bloom_locality bottommost_compression
		bottommost_compression_opts bottommost_file_compaction_delay bottommost_temperature cf_allow_ingest_behind
		check_flush_compaction_key_order compaction_filter compaction_filter_factory compaction_measure_io_stats
		compaction_options_fifo compaction_options_universal compaction_pri compaction_style compression
		compression_manager compression_opts compression_per_level default_temperature default_write_temperature
		disable_auto_compactions disallow_memtable_writes enable_blob_direct_write enable_blob_files
		enable_blob_garbage_collection experimental_mempurge_threshold force_consistency_checks
		hard_pending_compaction_bytes_limit ignore_max_compaction_bytes_for_input inplace_update_num_locks
		inplace_update_support last_level_temperature level0_file_num_compaction_trigger
		level0_slowdown_writes_trigger level0_stop_writes_trigger level_compaction_dynamic_file_size
		level_compaction_dynamic_level_bytes max_bytes_for_level_base max_bytes_for_level_multiplier
		max_bytes_for_level_multiplier_additional max_compaction_bytes max_successive_merges max_write_buffer_number
		max_write_buffer_number_to_maintain max_write_buffer_size_to_maintain memtable_avg_op_scan_flush_trigger
		memtable_batch_lookup_optimization memtable_factory memtable_huge_page_size
		memtable_insert_with_hint_prefix_extractor memtable_max_range_deletions memtable_op_scan_flush_trigger
		memtable_prefix_bloom_size_ratio memtable_protection_bytes_per_key memtable_verify_per_key_checksum_on_seek
		memtable_veirfy_per_key_checksum_on_seek memtable_whole_key_filtering min_blob_size
		min_tombstones_for_range_conversion min_write_buffer_number_to_merge paranoid_file_checks paranoid_memory_checks
		periodic_compaction_seconds persist_user_defined_timestamps preclude_last_level_data_seconds
		prepopulate_blob_cache preserve_internal_time_seconds read_triggered_compaction_threshold report_bg_io_stats
		sample_for_compression soft_pending_compaction_bytes_limit sst_partitioner_factory strict_max_successive_merges
		table_properties_collectors target_file_size_base target_file_size_is_upper_bound target_file_size_multiplier
		ttl uncache_aggressiveness verify_output_flags write_buffer_size`),
	tableSection: strings.Fields(`
		block_align block_restart_interval block_size block_size_deviation checksum data_block_hash_table_util_ratio
		data_block_index_type decouple_partitioned_filters detect_filter_construct_corruption enable_index_compression
		flush_block_policy_factory format_version hash_index_allow_collision index_block_restart_interval
		index_block_search_type index_shortening index_type metadata_block_size optimize_filters_for_memory
		partition_filters prepopulate_block_cache read_amp_bytes_per_bit separate_key_value_in_data_block
		super_block_alignment_size super_block_alignment_space_overhead_ratio uniform_cv_threshold use_delta_encoding
		verify_compression`),
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
