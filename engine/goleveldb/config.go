package goleveldb

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"getio/engine"
	"getio/engine/openfile"
	"getio/engine/option"
)

// config is the options that decide a tree's shape and what a read of it costs.
type config struct {
	preset string

	blockSize            int64 // size at which an uncompressed data block is full
	blockRestartInterval int
	bloomBits            int // bits per key; 0 writes no filter
	compression          string
	memTableSize         int64 // the library's write buffer; it has two
	tableSize            int64
	l1MaxBytes           int64 // size of L1 at which it is compacted
	levelMultiplier      int   // of that size, from level to level
	l0CompactionTrigger  int   // tables
	l0SlowdownTrigger    int   // tables at which writes are delayed
	l0PauseTrigger       int   // tables at which writes wait
	maxOpenFiles         int
	loadCacheBytes       int64 // block cache while loading
	seekCompactions      bool  // compactions triggered by reads
}

var _ engine.Config = (*config)(nil)

const (
	mib = 1 << 20
	gib = 1 << 30
)

var presets = map[string]func() *config{
	"geth-leveldb": geth,
	"leveldb":      libraryDefaults,
}

// libraryDefaults are goleveldb's own (leveldb/opt/options.go). Its size of L1 is
// that of L0, which counts tables, times the multiplier.
func libraryDefaults() *config {
	return &config{
		blockSize:            4 << 10,
		blockRestartInterval: 16,
		compression:          "snappy",
		memTableSize:         4 * mib,
		tableSize:            2 * mib,
		l1MaxBytes:           100 * mib,
		levelMultiplier:      10,
		l0CompactionTrigger:  4,
		l0SlowdownTrigger:    8,
		l0PauseTrigger:       12,
		maxOpenFiles:         500,
		loadCacheBytes:       8 * mib,
		seekCompactions:      true,
	}
}

// geth is go-ethereum 1.17.10's configuration (ethdb/leveldb/leveldb.go) with its
// default database cache of 2 GiB: half of it for blocks, a quarter for each of two
// memtables.
func geth() *config {
	c := libraryDefaults()
	c.bloomBits = 10
	c.memTableSize = gib / 2
	c.maxOpenFiles = openfile.ForDatabase()
	c.loadCacheBytes = gib
	c.seekCompactions = false
	return c
}

// compressions that the library writes.
var compressions = []string{"snappy", "none"}

// Bounds beyond which a value can only be a slip. The library reckons with sizes
// of memtables and tables in ints, and shares keys within a block of up to 4 GiB.
var options = option.List[config]{
	option.Bytes("block_size", 64, 256*mib, func(c *config) *int64 { return &c.blockSize }),
	option.Int("block_restart_interval", 1, 1<<16, func(c *config) *int { return &c.blockRestartInterval }),
	option.Int("bloom_bits", 0, 64, func(c *config) *int { return &c.bloomBits }),
	option.Text("compression", func(c *config) *string { return &c.compression }),
	option.Bytes("memtable_size", 8<<10, math.MaxUint32-1, func(c *config) *int64 { return &c.memTableSize }),
	option.Bytes("table_size", 1<<10, 1<<40, func(c *config) *int64 { return &c.tableSize }),
	option.Bytes("l1_max_bytes", 1<<10, 1<<50, func(c *config) *int64 { return &c.l1MaxBytes }),
	option.Int("level_multiplier", 2, 1<<10, func(c *config) *int { return &c.levelMultiplier }),
	option.Int("l0_compaction_trigger", 1, 1<<20, func(c *config) *int { return &c.l0CompactionTrigger }),
	option.Int("l0_slowdown_trigger", 1, 1<<20, func(c *config) *int { return &c.l0SlowdownTrigger }),
	option.Int("l0_pause_trigger", 1, 1<<20, func(c *config) *int { return &c.l0PauseTrigger }),
	option.Int("max_open_files", 1, 1<<30, func(c *config) *int { return &c.maxOpenFiles }),
	option.Bytes("load_cache", 1*mib, 1<<40, func(c *config) *int64 { return &c.loadCacheBytes }),
}

func (c *config) verify() error {
	switch {
	case !slices.Contains(compressions, c.compression):
		return fmt.Errorf("option compression: %s knows %s, not %q", name, strings.Join(compressions, ", "), c.compression)
	case c.l0PauseTrigger < c.l0CompactionTrigger:
		return fmt.Errorf("option l0_pause_trigger: %d is below l0_compaction_trigger, %d: raise it as well", c.l0PauseTrigger, c.l0CompactionTrigger)
	}
	return nil
}

// Preset names the preset that the configuration started from.
func (c *config) Preset() string { return c.preset }

// Effective lists every option with the value in force.
func (c *config) Effective() map[string]string { return options.Effective(c) }

// ReadOptions lists the options that bear on reading.
func (c *config) ReadOptions() []string { return []string{"max_open_files", "memtable_size"} }

// With returns the configuration with one more option overridden.
func (c *config) With(override string) (engine.Config, error) {
	d := *c
	if err := options.Override(&d, override); err != nil {
		return nil, err
	}
	return &d, d.verify()
}

// configOf takes the library's own configuration out of the contract's.
func configOf(cfg engine.Config) (*config, error) {
	c, ok := cfg.(*config)
	if !ok {
		return nil, fmt.Errorf("a configuration of preset %q is not one for %s", cfg.Preset(), name)
	}
	return c, nil
}
