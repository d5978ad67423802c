package pebbledb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/option"
	"getio/numbers/units"
	"getio/tree/lsm"
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
}

// Name implements engine.Engine.
func (l *Library) Name() string { return l.EngineName }

// Version implements engine.Engine.
func (l *Library) Version() string { return engine.ModuleVersion(l.Module) }

// Presets implements engine.Engine.
func (l *Library) Presets() []string { return l.PresetNames }

// TablePath implements engine.Builder.
func (*Library) TablePath(dir string, file uint64) string { return TablePath(dir, file) }

// FirstTable implements engine.Builder.
func (*Library) FirstTable() uint64 { return FirstTable }

// Configure implements engine.Engine.
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
	initialMemTable    = 256 << 10
	maxReplayMemTable  = 4 << 20
	cacheFloorMultiple = 2
)

// ReadMemTableSize is the memtable size for a read-only open: no larger than a replay
// needs.
func (c *Config) ReadMemTableSize() int64 { return min(c.MemTableSize, maxReplayMemTable) }

// ReservedBytes is the cache memory that an open without a write-ahead log reserves for
// its empty memtable.
func (c *Config) ReservedBytes() int64 { return min(c.MemTableSize, initialMemTable) }

// CacheFloor is the smallest cache worth measuring. The memtable would take most of a
// smaller one.
func (c *Config) CacheFloor() int64 { return cacheFloorMultiple * c.ReservedBytes() }

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
