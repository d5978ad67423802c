package pebblev2

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/engine/pebble/pebbledb"
	"getio/internal/pebbletest"
)

func TestOptions(t *testing.T) {
	pebbletest.Options[pebble.Options]{
		Library: library,
		Write:   func(c *pebbledb.Config) *pebble.Options { return writeOptions(c, pebbledb.NewLogger()) },
		Ensure:  (*pebble.Options).EnsureDefaults,
		Levels:  levels, NoFilter: pebble.NoFilterPolicy, Filter7: bloom.FilterPolicy(7),
		Aside: []string{"Cache", "CacheSize", "FS", "Logger", "EventListener", "CompactionConcurrencyRange", "Levels", "KeySchemas", "WALBytesPerSync"},
		Geth:  gethOptions, GethPreset: "geth",
	}.Run(t)
}

func levels(o *pebble.Options) (levels [lsm.NumLevels]pebbletest.Level) {
	for i, l := range o.Levels {
		levels[i] = pebbletest.Level{
			BlockSize: l.BlockSize, IndexBlockSize: l.IndexBlockSize, RestartInterval: l.BlockRestartInterval,
			TargetFileSize: o.TargetFileSizes[i], Compression: l.Compression().Name, Filter: l.FilterPolicy,
		}
		l.Compression = nil
		levels[i].Others = l
	}
	return levels
}

// gethOptions returns the options of ethdb/pebble/pebble.go.
func gethOptions() *pebble.Options {
	o := &pebble.Options{
		MaxOpenFiles:                5_000,
		MemTableSize:                2 << 30 / 2 / 4,
		MemTableStopWritesThreshold: 8,
		L0CompactionThreshold:       2,
		TargetFileSizes:             [7]int64{16 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20},
		FormatMajorVersion:          pebble.FormatFlushableIngest,
	}
	for level := range 6 {
		o.Levels[level].FilterPolicy = bloom.FilterPolicy(10)
	}
	o.Experimental.ReadSamplingMultiplier = -1
	o.Experimental.L0CompactionConcurrency = 1
	o.Experimental.CompactionDebtConcurrency = 1 << 28
	return o
}

func TestCompressionsAreKnown(t *testing.T) { pebbletest.SameCompressions(t, library, compressions) }

func TestTableForms(t *testing.T) {
	usual := engine.TableOptions{Snappy: blockformat.SnappyPercent12, FlushAtThreshold: true}
	pebbletest.TableForms(t, pebbleEngine{library}, usual, []pebbletest.TableForm{
		{Preset: "bench_kvdb", Format: "Pebblev2", BloomL6: 10},
		{Preset: "pebble", Format: "Pebblev2"},
		{Preset: "geth", Format: "Pebblev2", BloomL6: 10},
		{Preset: "bench_kvdb", Options: []string{"format=14"}, Format: "Pebblev2", BloomL6: 10},
	})
}

func TestTableFormAssumptions(t *testing.T) {
	pebbletest.EachLevel(t, library, func(c *pebbledb.Config, level int) bool {
		o := writeOptions(c, pebbledb.NewLogger())
		defer o.Cache.Unref()
		o.EnsureDefaults()
		table := tableOptions(c, level)
		return table.BlockSizeThreshold == pebbledb.BlockSizeThreshold && len(table.AllocatorSizeClasses) == 0 &&
			len(table.BlockPropertyCollectors) == 0 && o.Experimental.EnableValueBlocks == nil
	})
}
