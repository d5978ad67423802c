//go:build rocksdb

package rocksdb

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"getio/engine/filelimit"
	"getio/engine/option"
	"getio/engine/rocksdb/rocksfile"
)

// config holds the options that decide the tree's shape and what reading it costs. Options
// have RocksDB's own names.
type config struct {
	blockSize            int64 // target size of an uncompressed data block
	metadataBlockSize    int64 // target size of index and filter partitions
	restartInterval      int   // of data blocks
	indexRestartInterval int
	formatVersion        int // of tables
	bloomBits            int // bits per key; 0 writes no filter
	indexType            string
	partitionFilters     bool
	cacheMetadata        bool // indexes and filters live in the block cache
	metadataPriority     bool // and leave it after data blocks
	pinL0                bool
	pinTopLevel          bool
	pinning              string // metadata_cache_options, which override both
	optimizeForHits      bool   // no filters in the last level
	prefixExtractor      string
	wholeKeyFiltering    bool
	filterPolicy         string // null reads and writes no filter; any other reads all that RocksDB writes
	compression          string

	writeBuffer         int64
	maxWriteBuffers     int
	targetFileSize      int64 // of the first level below L0 that has tables
	fileSizeMultiplier  int   // of targetFileSize, from level to level
	l1MaxBytes          int64
	levelMultiplier     int
	dynamicLevels       bool // the smaller the tree, the deeper its first level below L0
	l0CompactionTrigger int
	l0SlowdownTrigger   int
	l0StopTrigger       int
	backgroundJobs      int

	maxOpenFiles   int // -1 keeps all tables open
	loadCacheBytes int64
	cache          string
	columnFamily   string // the one to read, as familyText writes it
}

const (
	mib = 1 << 20

	defaultFamily = "default"
	twoLevel      = "two_level"
	hyperClock    = "hyper_clock"
	null          = "nullptr" // as options files write that there is none

	fallbackPinning = "{unpartitioned_pinning=kFallback;partition_pinning=kFallback;top_level_index_pinning=kFallback;}"
)

// partitioned returns a configuration for bounded memory: indexes and filters are
// partitioned and live in the block cache, unpinned. Memtables, tables and levels have the
// sizes of the preset bench_kvdb, so that the trees compare: Pebble's tables in the first
// level below L0 are twice the target size.
func partitioned() *config {
	c := options.Defaults()
	c.bloomBits = 10
	c.indexType = twoLevel
	c.partitionFilters = true
	c.cacheMetadata = true
	c.pinTopLevel = false
	c.writeBuffer = 128 * mib
	c.targetFileSize = 4 * mib
	c.fileSizeMultiplier = 2
	c.l1MaxBytes = 64 * mib
	c.dynamicLevels = true
	c.l0SlowdownTrigger = 12
	c.l0StopTrigger = 12
	c.maxOpenFiles = max(minOpenFiles, filelimit.ForDatabase())
	c.loadCacheBytes = 512 * mib
	return c
}

// compressions maps what the library writes to its numbers (include/rocksdb/compression_type.h).
var compressions = map[string]int{"none": 0, "snappy": 1, "zlib": 2, "bzip2": 3, "lz4": 4, "lz4hc": 5, "zstd": 7}

var (
	indexTypes = []string{"binary", twoLevel}
	caches     = []string{"lru", hyperClock}
)

var configs = &option.Schema[config]{
	Engine: name,
	Presets: []option.Preset[config]{
		{Name: "rocksdb-partitioned", New: partitioned},
		{Name: "rocksdb", New: options.Defaults},
	},
	Options:     options,
	ReadOptions: append([]string{"cache", "column_family"}, slices.Sorted(maps.Keys(chosen))...),
	Verify:      verify,
}

// options have RocksDB 7.8's own defaults: no filters, indexes outside the block cache, all tables open.
var options = option.List[config]{
	option.Number("block_size", "4KiB", 64, 256*mib, func(c *config) any { return &c.blockSize }),
	option.Number("metadata_block_size", "4KiB", 64, 256*mib, func(c *config) any { return &c.metadataBlockSize }),
	option.Number("block_restart_interval", "16", 1, 1<<16, func(c *config) any { return &c.restartInterval }),
	option.Number("index_block_restart_interval", "1", 1, 1<<16, func(c *config) any { return &c.indexRestartInterval }),
	option.Number("format_version", "5", 2, rocksfile.NewestFormat, func(c *config) any { return &c.formatVersion }),
	option.Number("bloom_bits", "0", 0, 64, func(c *config) any { return &c.bloomBits }),
	option.Word("index_type", "binary", func(c *config) any { return &c.indexType }),
	option.Word("partition_filters", "false", func(c *config) any { return &c.partitionFilters }),
	option.Word("cache_index_and_filter_blocks", "false", func(c *config) any { return &c.cacheMetadata }),
	option.Word("cache_index_and_filter_blocks_with_high_priority", "true", func(c *config) any { return &c.metadataPriority }),
	option.Word("pin_l0_filter_and_index_blocks_in_cache", "false", func(c *config) any { return &c.pinL0 }),
	option.Word("pin_top_level_index_and_filter", "true", func(c *config) any { return &c.pinTopLevel }),
	option.Word("metadata_cache_options", fallbackPinning, func(c *config) any { return &c.pinning }),
	option.Word("optimize_filters_for_hits", "false", func(c *config) any { return &c.optimizeForHits }),
	option.Word("prefix_extractor", null, func(c *config) any { return &c.prefixExtractor }),
	option.Word("whole_key_filtering", "true", func(c *config) any { return &c.wholeKeyFiltering }),
	option.Word("filter_policy", "bloomfilter", func(c *config) any { return &c.filterPolicy }),
	option.Word("compression", "snappy", func(c *config) any { return &c.compression }),
	option.Number("write_buffer_size", "64MiB", 64<<10, math.MaxInt64, func(c *config) any { return &c.writeBuffer }),
	option.Number("max_write_buffer_number", "2", 2, 1<<10, func(c *config) any { return &c.maxWriteBuffers }),
	option.Number("target_file_size_base", "64MiB", 1<<10, 1<<40, func(c *config) any { return &c.targetFileSize }),
	option.Number("target_file_size_multiplier", "1", 1, 1<<10, func(c *config) any { return &c.fileSizeMultiplier }),
	option.Number("max_bytes_for_level_base", "256MiB", 1<<10, 1<<50, func(c *config) any { return &c.l1MaxBytes }),
	option.Number("max_bytes_for_level_multiplier", "10", 2, 1<<10, func(c *config) any { return &c.levelMultiplier }),
	option.Word("level_compaction_dynamic_level_bytes", "false", func(c *config) any { return &c.dynamicLevels }),
	option.Number("level0_file_num_compaction_trigger", "4", 1, 1<<20, func(c *config) any { return &c.l0CompactionTrigger }),
	option.Number("level0_slowdown_writes_trigger", "20", 1, 1<<20, func(c *config) any { return &c.l0SlowdownTrigger }),
	option.Number("level0_stop_writes_trigger", "36", 1, 1<<20, func(c *config) any { return &c.l0StopTrigger }),
	option.Number("max_background_jobs", "2", 2, 1<<10, func(c *config) any { return &c.backgroundJobs }),
	option.Number("max_open_files", "-1", -1, 1<<30, func(c *config) any { return &c.maxOpenFiles }),
	option.Number("load_cache", "8MiB", 1*mib, 1<<40, func(c *config) any { return &c.loadCacheBytes }),
	option.Word("cache", "lru", func(c *config) any { return &c.cache }),
	option.Word("column_family", defaultFamily, func(c *config) any { return &c.columnFamily }),
}

// minOpenFiles is the least that the library accepts.
const minOpenFiles = 20

func verify(c *config) error {
	_, known := compressions[c.compression]
	switch {
	case !known:
		return fmt.Errorf("option compression: %s knows none, snappy, zlib, bzip2, lz4, lz4hc, zstd, not %q", name, c.compression)
	case !slices.Contains(indexTypes, c.indexType):
		return fmt.Errorf("option index_type: %q is not known: use one of %s", c.indexType, strings.Join(indexTypes, ", "))
	case !slices.Contains(caches, c.cache):
		return fmt.Errorf("option cache: %q is not known: use one of %s", c.cache, strings.Join(caches, ", "))
	case c.partitionFilters && c.indexType != twoLevel:
		return fmt.Errorf("option partition_filters: RocksDB partitions filters only with partitioned indexes: set index_type=%s as well", twoLevel)
	case c.l0StopTrigger < c.l0SlowdownTrigger || c.l0SlowdownTrigger < c.l0CompactionTrigger:
		return fmt.Errorf("options level0_...: the stop trigger (%d), the slowdown trigger (%d) and the compaction trigger (%d) must not increase in this order",
			c.l0StopTrigger, c.l0SlowdownTrigger, c.l0CompactionTrigger)
	case c.maxOpenFiles != -1 && c.maxOpenFiles < minOpenFiles:
		return fmt.Errorf("option max_open_files: %d is too few: take at least %d, or -1 for all tables", c.maxOpenFiles, minOpenFiles)
	case c.formatVersion > newestFormat:
		return fmt.Errorf("option format_version: the RocksDB %s of this getio writes no tables of format %d: %s", libraryVersion(), c.formatVersion, otherLibrary(c.formatVersion))
	case c.columnFamily == "":
		return fmt.Errorf("option column_family: the name is empty: name one of the database")
	}
	return nil
}
