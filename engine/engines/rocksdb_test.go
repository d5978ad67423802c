//go:build rocksdb

package engines_test

import (
	"slices"

	"getio/engine/readpath"
	"getio/engine/rocksdb"
)

// smallTables are the options of RocksDB under which few keys make a tree.
var smallTables = []string{
	"block_size=512", "metadata_block_size=512", "write_buffer_size=512KiB", "target_file_size_base=64KiB", "target_file_size_multiplier=1",
	"max_bytes_for_level_base=256KiB", "max_bytes_for_level_multiplier=4",
}

func init() {
	// With partitioned indexes and filters.
	suites["rocksdb-partitioned"] = suite{
		Engine:     rocksdb.Engine,
		TableFiles: "*.sst",
		Small:      smallTables,
		// Partitions that lie together are read in one call.
		IndexesAtOpen: true,
		Variants: map[string][]string{
			"pinned": {"pin_top_level_index_and_filter=true", "pin_l0_filter_and_index_blocks_in_cache=true", "cache=hyper_clock", "compression=zstd", "index_block_restart_interval=8", "format_version=4", "partition_filters=false", "level_compaction_dynamic_level_bytes=false"},
		},
		OutsideCache: map[string][]readpath.Component{"pinned": {readpath.TopIndex}},
		Refused: map[string]string{
			"compression=brotli":                    "rocksdb knows none, snappy",
			"index_type=hash":                       "use one of binary, two_level",
			"index_type=binary":                     "RocksDB partitions filters only with partitioned indexes",
			"cache=fifo":                            "use one of lru, hyper_clock",
			"level0_stop_writes_trigger=11":         "must not increase",
			"level0_file_num_compaction_trigger=13": "must not increase",
			"max_open_files=19":                     "at least 20, or -1",
			"max_open_files=-2":                     "out of range",
			"column_family=":                        "the name is empty",
			"memtable_size=1MiB":                    "is not known: use one of block_size,",
			"bloom_bits.L0=10":                      "only per-level options",
			"partition_filters=yes":                 "neither true nor false",
			"format_version=8":                      "out of range",
		},
	}
	// With one-level indexes and one-block filters outside the block cache, in tables of an old format that all stay
	// open.
	suites["rocksdb-whole"] = suite{
		Engine:     rocksdb.Engine,
		TableFiles: "*.sst",
		Small: append(slices.Clone(smallTables), "index_type=binary", "partition_filters=false", "format_version=2", "compression=lz4",
			"cache_index_and_filter_blocks=false", "max_open_files=-1"),
		OneLevelIndex: true,
		OutsideCache:  map[string][]readpath.Component{"default": {readpath.TopIndex, readpath.Filter}},
	}
}
