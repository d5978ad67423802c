package pebbledb

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
)

// option is one configurable option. Options that are not per level ignore the
// level.
type option struct {
	name     string
	perLevel bool
	get      func(c *Config, level int) string
	set      func(c *Config, level int, value string) error
}

// Bounds that the libraries themselves put, or beyond which a value can only
// be a slip: Pebble's memtables and blocks are addressed with 32 bits.
const (
	minBlockSize = 64
	maxBlockSize = 256 << 20
	maxMemTable  = math.MaxUint32 - 1
	maxBloomBits = 64
)

var options = []option{
	bytesOption("block_size", minBlockSize, maxBlockSize, func(c *Config) *int64 { return &c.BlockSize }),
	bytesOption("index_block_size", minBlockSize, math.MaxInt32, func(c *Config) *int64 { return &c.IndexBlockSize }),
	intOption("block_restart_interval", 1, 1<<16, func(c *Config) *int { return &c.BlockRestartInterval }),
	{
		name: "bloom_bits", perLevel: true,
		get: func(c *Config, level int) string { return strconv.Itoa(c.BloomBits[level]) },
		set: func(c *Config, level int, value string) error {
			return setInt(&c.BloomBits[level], value, 0, maxBloomBits)
		},
	},
	{
		name: "target_file_size", perLevel: true,
		get: func(c *Config, level int) string { return formatBytes(c.TargetFileSize[level]) },
		set: func(c *Config, level int, value string) error {
			return setBytes(&c.TargetFileSize[level], value, 1<<10, 1<<40)
		},
	},
	{
		name: "compression",
		get:  func(c *Config, _ int) string { return c.Compression },
		set: func(c *Config, _ int, value string) error {
			c.Compression = value
			return nil
		},
	},
	intOption("format", 1, 1<<16, func(c *Config) *int { return &c.Format }),
	intOption("max_open_files", 20, 1<<30, func(c *Config) *int { return &c.MaxOpenFiles }),
	bytesOption("memtable_size", 8<<10, maxMemTable, func(c *Config) *int64 { return &c.MemTableSize }),
	intOption("memtable_stop_writes", 2, 1<<10, func(c *Config) *int { return &c.MemTableStopWrites }),
	intOption("l0_compaction_threshold", 1, 1<<20, func(c *Config) *int { return &c.L0CompactionThreshold }),
	intOption("l0_stop_writes_threshold", 1, 1<<20, func(c *Config) *int { return &c.L0StopWritesThreshold }),
	bytesOption("lbase_max_bytes", 1<<10, 1<<50, func(c *Config) *int64 { return &c.LBaseMaxBytes }),
	bytesOption("load_cache", 1<<20, 1<<40, func(c *Config) *int64 { return &c.LoadCacheBytes }),
}

func intOption(name string, lo, hi int, field func(*Config) *int) option {
	return option{
		name: name,
		get:  func(c *Config, _ int) string { return strconv.Itoa(*field(c)) },
		set:  func(c *Config, _ int, value string) error { return setInt(field(c), value, lo, hi) },
	}
}

func bytesOption(name string, lo, hi int64, field func(*Config) *int64) option {
	return option{
		name: name,
		get:  func(c *Config, _ int) string { return formatBytes(*field(c)) },
		set:  func(c *Config, _ int, value string) error { return setBytes(field(c), value, lo, hi) },
	}
}

func setInt(field *int, value string, lo, hi int) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", value)
	}
	if n < lo || n > hi {
		return fmt.Errorf("%d is out of range: it takes %d to %d", n, lo, hi)
	}
	*field = n
	return nil
}

func setBytes(field *int64, value string, lo, hi int64) error {
	n, err := humanize.ParseBytes(value)
	if err != nil {
		return fmt.Errorf("%q is not a size: write it like 32KiB or 2MB", value)
	}
	if n > math.MaxInt64 || int64(n) < lo || int64(n) > hi {
		return fmt.Errorf("%s is out of range: it takes %s to %s", value, humanize.IBytes(uint64(lo)), humanize.IBytes(uint64(hi)))
	}
	*field = int64(n)
	return nil
}

// formatBytes writes a size so that it reads back exactly.
func formatBytes(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size && n%unit.size == 0 {
			return strconv.FormatInt(n/unit.size, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}
