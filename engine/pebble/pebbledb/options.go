package pebbledb

import (
	"math"

	"getio/engine/option"
)

// Bounds of options: the libraries' own, or those beyond which a value is surely a typing
// mistake. Pebble addresses memtables and blocks with 32 bits.
const (
	minBlockSize = 64
	maxBlockSize = 256 << 20
	maxMemTable  = math.MaxUint32 - 1
	maxBloomBits = 64
	// The libraries reserve 10 open files for files other than tables, and keep at least
	// 64 tables open whatever the option says (open.go: numNonTableCacheFiles,
	// minTableCacheSize; in v2 numNonFileCacheFiles, minFileCacheSize).
	minOpenFiles = 10 + 64
)

var options = option.List[Config]{
	option.Bytes("block_size", minBlockSize, maxBlockSize, func(c *Config) *int64 { return &c.BlockSize }),
	option.Bytes("index_block_size", minBlockSize, math.MaxInt32, func(c *Config) *int64 { return &c.IndexBlockSize }),
	option.Int("block_restart_interval", 1, 1<<16, func(c *Config) *int { return &c.BlockRestartInterval }),
	option.IntPerLevel("bloom_bits", 0, maxBloomBits, func(c *Config, level int) *int { return &c.BloomBits[level] }),
	option.BytesPerLevel("target_file_size", 1<<10, 1<<40, func(c *Config, level int) *int64 { return &c.TargetFileSize[level] }),
	option.Text("compression", func(c *Config) *string { return &c.Compression }),
	option.Int("format", 1, 1<<16, func(c *Config) *int { return &c.Format }),
	option.Int("max_open_files", minOpenFiles, 1<<30, func(c *Config) *int { return &c.MaxOpenFiles }),
	option.Bytes("memtable_size", 8<<10, maxMemTable, func(c *Config) *int64 { return &c.MemTableSize }),
	option.Int("memtable_stop_writes", 2, 1<<10, func(c *Config) *int { return &c.MemTableStopWrites }),
	option.Int("l0_compaction_threshold", 1, 1<<20, func(c *Config) *int { return &c.L0CompactionThreshold }),
	option.Int("l0_stop_writes_threshold", 1, 1<<20, func(c *Config) *int { return &c.L0StopWritesThreshold }),
	option.Bytes("lbase_max_bytes", 1<<10, 1<<50, func(c *Config) *int64 { return &c.LBaseMaxBytes }),
	option.Bytes("load_cache", 1<<20, 1<<40, func(c *Config) *int64 { return &c.LoadCacheBytes }),
}
