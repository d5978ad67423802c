package pebblev2

import (
	"fmt"
	"runtime"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
	"getio/tree/lsm"
)

var compressions = map[string]*sstable.CompressionProfile{
	"none":     sstable.NoCompression,
	"snappy":   sstable.SnappyCompression,
	"zstd":     sstable.ZstdCompression,
	"minlz":    sstable.MinLZCompression,
	"fastest":  sstable.FastestCompression,
	"fast":     sstable.FastCompression,
	"balanced": sstable.BalancedCompression,
	"good":     sstable.GoodCompression,
}

// config takes the library's own configuration out of the contract's.
func config(cfg engine.Config) (*pebbledb.Config, error) {
	c, ok := cfg.(*pebbledb.Config)
	if !ok {
		return nil, fmt.Errorf("a configuration of preset %q is not one for %s", cfg.Preset(), library.Name)
	}
	return c, nil
}

// writeOptions configures the library for loading.
func writeOptions(c *pebbledb.Config, log *pebbledb.Logger) *pebble.Options {
	o := &pebble.Options{
		Cache:                       pebble.NewCache(c.LoadCacheBytes),
		FS:                          &writeFS{FS: vfs.Default, log: log},
		MemTableSize:                uint64(c.MemTableSize),
		MemTableStopWritesThreshold: c.MemTableStopWrites,
		MaxOpenFiles:                c.MaxOpenFiles,
		CompactionConcurrencyRange:  func() (int, int) { return 1, runtime.NumCPU() },
		FormatMajorVersion:          pebble.FormatMajorVersion(c.Format),
		L0CompactionThreshold:       c.L0CompactionThreshold,
		L0StopWritesThreshold:       c.L0StopWritesThreshold,
		LBaseMaxBytes:               c.LBaseMaxBytes,
		TargetFileSizes:             c.TargetFileSize,
		Levels:                      levelOptions(c),
		Logger:                      log,
		EventListener:               &pebble.EventListener{BackgroundError: log.Fail},
	}
	if !c.ReadSampling {
		o.Experimental.ReadSamplingMultiplier = -1
	}
	o.Experimental.L0CompactionConcurrency = c.L0Concurrency
	o.Experimental.CompactionDebtConcurrency = uint64(c.DebtConcurrency)
	return o
}

func levelOptions(c *pebbledb.Config) (levels [lsm.NumLevels]pebble.LevelOptions) {
	compression := compressions[c.Compression]
	for i := range levels {
		levels[i] = pebble.LevelOptions{
			BlockSize:            int(c.BlockSize),
			IndexBlockSize:       int(c.IndexBlockSize),
			BlockRestartInterval: c.BlockRestartInterval,
			Compression:          func() *sstable.CompressionProfile { return compression },
			FilterPolicy:         pebble.NoFilterPolicy,
		}
		if bits := c.BloomBits[i]; bits > 0 {
			levels[i].FilterPolicy = bloom.FilterPolicy(bits)
		}
	}
	return levels
}

// readOptions configures the library for reading a database at rest. The
// Bloom filter is always known, so that whatever filters the tables have are
// consulted.
func readOptions(c *pebbledb.Config, cache *pebble.Cache, fs vfs.FS, log *pebbledb.Logger) *pebble.Options {
	policy := bloom.FilterPolicy(10)
	return &pebble.Options{
		Cache:                       cache,
		FS:                          fs,
		ReadOnly:                    true,
		MemTableSize:                uint64(c.ReadMemTableSize()),
		MaxOpenFiles:                c.MaxOpenFiles,
		DisableAutomaticCompactions: true,
		Filters:                     map[string]pebble.FilterPolicy{policy.Name(): policy},
		Logger:                      log,
		EventListener: &pebble.EventListener{
			BackgroundError: log.Fail,
			// The default gives up the process; Get returns the error as well.
			DataCorruption: func(pebble.DataCorruptionInfo) {},
		},
	}
}
