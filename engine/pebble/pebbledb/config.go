package pebbledb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/numbers/units"
	"getio/tree/lsm"
)

// Config configures a Pebble database of either version. Its fields are the
// options that decide a tree's shape and what a read of it costs.
type Config struct {
	library *Library
	preset  string

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
	L0Concurrency         int  // further compaction per so many sublevels
	DebtConcurrency       int64
	LoadCacheBytes        int64 // block cache while loading
}

var _ engine.Config = (*Config)(nil)

// Library is what one version of Pebble can do.
type Library struct {
	Name         string
	Presets      []string // the default one first
	Compressions []string
	MinFormat    int
	MaxFormat    int
}

// Configure returns the library's preset with overrides, NAME=VALUE each.
func (l *Library) Configure(preset string, overrides []string) (*Config, error) {
	if preset == "" {
		preset = l.Presets[0]
	}
	if !slices.Contains(l.Presets, preset) {
		return nil, fmt.Errorf("preset %q is not known to %s: use one of %s", preset, l.Name, strings.Join(l.Presets, ", "))
	}
	c := presets[preset]()
	c.library, c.preset = l, preset
	c.Format = max(c.Format, l.MinFormat)
	for _, o := range overrides {
		if err := options.Override(c, o); err != nil {
			return nil, err
		}
	}
	return c, c.verify()
}

// Preset names the preset that the configuration started from.
func (c *Config) Preset() string { return c.preset }

// ReadOptions lists the options that bear on reading.
func (c *Config) ReadOptions() []string { return []string{"max_open_files", "memtable_size"} }

// With returns the configuration with one more option overridden.
func (c *Config) With(override string) (engine.Config, error) {
	d := *c
	if err := options.Override(&d, override); err != nil {
		return nil, err
	}
	return &d, d.verify()
}

// Effective lists every option with the value in force. An option that can be
// set per level is listed once where all levels agree.
func (c *Config) Effective() map[string]string { return options.Effective(c) }

func (c *Config) verify() error {
	l := c.library
	if c.Format < l.MinFormat || c.Format > l.MaxFormat {
		return fmt.Errorf("option format: %s writes formats %d to %d, not %d", l.Name, l.MinFormat, l.MaxFormat, c.Format)
	}
	if !slices.Contains(l.Compressions, c.Compression) {
		return fmt.Errorf("option compression: %s knows %s, not %q", l.Name, strings.Join(l.Compressions, ", "), c.Compression)
	}
	if c.L0StopWritesThreshold < c.L0CompactionThreshold {
		return fmt.Errorf("option l0_stop_writes_threshold: %d is below l0_compaction_threshold, %d: raise it as well",
			c.L0StopWritesThreshold, c.L0CompactionThreshold)
	}
	return nil
}

// Memtable sizes of a read-only open. The library starts with a memtable of
// initialMemTable and sets it aside from the block cache (Pebble: open.go,
// initialMemTableSize); replaying a write-ahead log adds further ones, each
// twice the size of the last, up to the configured size.
const (
	initialMemTable    = 256 << 10
	maxReplayMemTable  = 4 << 20
	cacheFloorMultiple = 2
)

// ReadMemTableSize is the memtable size to open with read-only: no larger than
// a replay has use for.
func (c *Config) ReadMemTableSize() int64 { return min(c.MemTableSize, maxReplayMemTable) }

// ReservedBytes is what an open without a write-ahead log sets aside from the
// block cache for its empty memtable.
func (c *Config) ReservedBytes() int64 { return min(c.MemTableSize, initialMemTable) }

// CacheFloor is the smallest cache worth measuring: the memtable would all but
// fill a smaller one.
func (c *Config) CacheFloor() int64 { return cacheFloorMultiple * c.ReservedBytes() }

// CheckCache refuses a cache below the floor. A cache of 0 is one that keeps
// nothing on purpose.
func (c *Config) CheckCache(bytes int64) error {
	if bytes != 0 && bytes < c.CacheFloor() {
		return fmt.Errorf("a cache of %s is too small: Pebble sets %s of it aside for a memtable; take at least %s",
			humanize.IBytes(uint64(bytes)), units.Exact(c.ReservedBytes()), units.Exact(c.CacheFloor()))
	}
	return nil
}

// minShardBytes is the size below which the library makes 4 shards rather than
// as many as it is asked for (Pebble: internal/cache, New).
const minShardBytes = 4 << 20

// ShardProcs is the GOMAXPROCS under which the library makes a cache of so
// many shards: it makes 4 for each.
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

// Shards is the number of shards that the library makes under the given
// GOMAXPROCS.
func Shards(cacheBytes int64, procs int) int {
	shards := 4 * procs
	if shards > 4 && cacheBytes/int64(shards) < minShardBytes {
		return 4
	}
	return shards
}
