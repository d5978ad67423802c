// Package pebbledb holds what the engines for Pebble v1 and v2 share: database directories, OPTIONS
// files, configurations and presets, counters, the installation of built tables, and the check that a
// cache is not too small for Pebble, whose error names the smallest one.
package pebbledb

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/engine/option"
	"getio/numbers/units"
)

// Config configures a Pebble database of either version. Its fields are the options that
// determine the shape of a tree and the cost of reads.
type Config struct {
	BlockSize            int64 // target size of an uncompressed data block
	IndexBlockSize       int64 // target size of an index block; larger indexes get two levels
	BlockRestartInterval int
	BloomBits            [lsm.NumLevels]int   // bits per key; 0 writes no filter
	TargetFileSize       [lsm.NumLevels]int64 // [0] for L0, then from the base level down
	Compression          string
	Format               int // format major version
	MaxOpenFiles         int

	MemTableSize          int64
	MemTableStopWrites    int // memtables at which writes stop
	L0CompactionThreshold int // sublevels
	L0StopWritesThreshold int // sublevels
	LBaseMaxBytes         int64
	ReadSampling          bool // seek compactions, triggered by reads
	L0Concurrency         int  // one more concurrent compaction for each such number of sublevels
	DebtConcurrency       int64
	LoadCacheBytes        int64 // block cache while loading

	// Logs are of the database that is read, from its OPTIONS file.
	Logs Logs
}

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
	option.Number("block_size", "4KiB", minBlockSize, maxBlockSize, func(c *Config) any { return &c.BlockSize }),
	option.Number("index_block_size", "4KiB", minBlockSize, math.MaxInt32, func(c *Config) any { return &c.IndexBlockSize }),
	option.Number("block_restart_interval", "16", 1, 1<<16, func(c *Config) any { return &c.BlockRestartInterval }),
	option.Number("bloom_bits", "0", 0, maxBloomBits, func(c *Config) any { return &c.BloomBits }),
	option.Number("target_file_size", "2MiB 4MiB 8MiB 16MiB 32MiB 64MiB 128MiB", 1<<10, 1<<40, func(c *Config) any { return &c.TargetFileSize }),
	option.Word("compression", "snappy", func(c *Config) any { return &c.Compression }),
	option.Number("format", "1", 1, 1<<16, func(c *Config) any { return &c.Format }),
	option.Number("max_open_files", "1000", minOpenFiles, 1<<30, func(c *Config) any { return &c.MaxOpenFiles }),
	option.Number("memtable_size", "4MiB", 8<<10, maxMemTable, func(c *Config) any { return &c.MemTableSize }),
	option.Number("memtable_stop_writes", "2", 2, 1<<10, func(c *Config) any { return &c.MemTableStopWrites }),
	option.Number("l0_compaction_threshold", "4", 1, 1<<20, func(c *Config) any { return &c.L0CompactionThreshold }),
	option.Number("l0_stop_writes_threshold", "12", 1, 1<<20, func(c *Config) any { return &c.L0StopWritesThreshold }),
	option.Number("lbase_max_bytes", "64MiB", 1<<10, 1<<50, func(c *Config) any { return &c.LBaseMaxBytes }),
	option.Number("load_cache", "8MiB", 1<<20, 1<<40, func(c *Config) any { return &c.LoadCacheBytes }),
}

// Library describes one version of Pebble. The engines embed it for the methods that do
// not depend on the version.
type Library struct {
	EngineName   string
	Module       string   // path
	PresetNames  []string // default first
	Compressions []string
	MinFormat    int
	MaxFormat    int

	// Of tables, besides what a Config sets.
	TableFormat      func(*Config) string // the library's name
	Snappy           blockformat.SnappyRule
	FlushAtThreshold bool // see engine.TableOptions
}

func (l *Library) Name() string                           { return l.EngineName }
func (l *Library) Version() string                        { return engine.ModuleVersion(l.Module) }
func (l *Library) Presets() []string                      { return l.PresetNames }
func (*Library) TablePath(dir string, file uint64) string { return TablePath(dir, file) }
func (*Library) FirstTable() uint64                       { return FirstTable }

func (l *Library) Configure(preset string, overrides []string) (engine.Config, error) {
	return l.schema().Configure(preset, overrides)
}

// Config returns the options of cfg, or an error if it belongs to another engine.
func (l *Library) Config(cfg engine.Config) (*Config, error) { return l.schema().Of(cfg) }

func (l *Library) schema() *option.Schema[Config] {
	s := &option.Schema[Config]{
		Engine: l.EngineName, Options: options, Verify: l.verify,
		ReadOptions: []string{"max_open_files", "memtable_size"},
	}
	for _, name := range l.PresetNames {
		s.Presets = append(s.Presets, option.Preset[Config]{Name: name, New: func() *Config {
			c := presets[name]()
			c.Format = max(c.Format, l.MinFormat)
			return c
		}})
	}
	return s
}

func (l *Library) verify(c *Config) error {
	if c.Format < l.MinFormat || c.Format > l.MaxFormat {
		return fmt.Errorf("option format: %s writes formats %d to %d, not %d", l.EngineName, l.MinFormat, l.MaxFormat, c.Format)
	}
	if !slices.Contains(l.Compressions, c.Compression) {
		return fmt.Errorf("option compression: %s knows %s, not %q", l.EngineName, strings.Join(l.Compressions, ", "), c.Compression)
	}
	if c.L0StopWritesThreshold < c.L0CompactionThreshold {
		return fmt.Errorf("option l0_stop_writes_threshold: %d is below l0_compaction_threshold, %d: raise it as well",
			c.L0StopWritesThreshold, c.L0CompactionThreshold)
	}
	return nil
}

// Memtable sizes of a read-only open, in bytes. The library starts with a memtable of
// initialMemTable, which it reserves from the block cache (Pebble: open.go,
// initialMemTableSize). Replaying a write-ahead log adds memtables, each twice the size of
// the previous one, up to the configured size.
const (
	initialMemTable   = 256 << 10
	maxReplayMemTable = 4 << 20
)

// ReadMemTableSize is the memtable size for a read-only open: no larger than a replay needs.
func (c *Config) ReadMemTableSize() int64 { return min(c.MemTableSize, maxReplayMemTable) }

// ReservedBytes is the cache memory that an open without a write-ahead log reserves for
// its empty memtable.
func (c *Config) ReservedBytes() int64 { return min(c.MemTableSize, initialMemTable) }

// MemtableBytes returns the cache memory that a read-only open reserves: o.Memtables, but at least ReservedBytes, and no
// more than leaves as much for blocks.
func (c *Config) MemtableBytes(o engine.OpenConfig) int64 {
	return max(c.ReservedBytes(), min(o.Memtables, o.CacheBytes-c.ReservedBytes()))
}

// CacheFloor is the smallest cache worth measuring. The memtable would take most of a smaller one.
func (c *Config) CacheFloor() int64 { return 2 * c.ReservedBytes() }

// CheckCache returns an error for a cache smaller than CacheFloor, except for 0, which
// disables caching.
func (c *Config) CheckCache(bytes int64) error {
	if bytes != 0 && bytes < c.CacheFloor() {
		return fmt.Errorf("a cache of %s is too small: Pebble sets %s of it aside for a memtable; take at least %s",
			humanize.IBytes(uint64(bytes)), units.Exact(c.ReservedBytes()), units.Exact(c.CacheFloor()))
	}
	return nil
}

// minShardBytes is the smallest shard. If shards would be smaller, the library creates
// only 4 (Pebble: internal/cache, New).
const minShardBytes = 4 << 20

// ShardProcs returns the GOMAXPROCS with which the library creates the given number of
// shards: 4 per processor.
func ShardProcs(cacheBytes int64, shards int) (procs int, err error) {
	switch {
	case shards < 4 || shards%4 != 0:
		return 0, fmt.Errorf("%d cache shards cannot be made: Pebble makes multiples of 4", shards)
	case shards > 4 && cacheBytes/int64(shards) < minShardBytes:
		return 0, fmt.Errorf("%d cache shards cannot be made: Pebble makes 4 where a shard would be under 4 MiB, so they need a cache of at least %s",
			shards, units.Exact(int64(shards)*minShardBytes))
	}
	return shards / 4, nil
}

// Shards returns the number of shards that the library creates with the given GOMAXPROCS.
func Shards(cacheBytes int64, procs int) int {
	shards := 4 * procs
	if shards > 4 && cacheBytes/int64(shards) < minShardBytes {
		return 4
	}
	return shards
}
