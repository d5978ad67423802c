package pebblev2

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine/pebble/pebbledb"
)

// writeOptions configures the library for loading.
func writeOptions(c *pebbledb.Config, log *pebbledb.Logger) *pebble.Options {
	o := &pebble.Options{
		Cache:                       pebble.NewCache(c.LoadCacheBytes),
		FS:                          &writeFS{FS: vfs.Default, log: log},
		MemTableSize:                uint64(c.MemTableSize),
		MemTableStopWritesThreshold: c.MemTableStopWrites,
		MaxOpenFiles:                c.MaxOpenFiles,
		FormatMajorVersion:          pebble.FormatMajorVersion(c.Format),
		L0CompactionThreshold:       c.L0CompactionThreshold,
		L0StopWritesThreshold:       c.L0StopWritesThreshold,
		LBaseMaxBytes:               c.LBaseMaxBytes,
		Logger:                      log,
		EventListener:               &pebble.EventListener{BackgroundError: log.Fail},
	}
	setLevels(o, c)
	if !c.ReadSampling {
		o.Experimental.ReadSamplingMultiplier = -1
	}
	o.Experimental.L0CompactionConcurrency = c.L0Concurrency
	o.Experimental.CompactionDebtConcurrency = uint64(c.DebtConcurrency)
	return o
}

// readOptions configures the library for reading an idle database. It always registers the
// Bloom filter policy, so that Gets consult all filters of the tables.
func readOptions(c *pebbledb.Config, cache *pebble.Cache, fs vfs.FS, log *pebbledb.Logger) *pebble.Options {
	policy := bloom.FilterPolicy(10)
	o := &pebble.Options{
		Cache:                       cache,
		FS:                          fs,
		ReadOnly:                    true,
		MemTableSize:                uint64(c.ReadMemTableSize()),
		MaxOpenFiles:                c.MaxOpenFiles,
		DisableAutomaticCompactions: true,
		Filters:                     map[string]pebble.FilterPolicy{policy.Name(): policy},
		Logger:                      log,
		EventListener:               readListener(log),
	}
	setLogs(o, c.Logs)
	return o
}
