package pebblev1

import (
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"

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
		Ensure:  func(o *pebble.Options) { o.EnsureDefaults() },
		Levels:  levels, Filter7: bloom.FilterPolicy(7),
		Aside: []string{"Cache", "FS", "Logger", "EventListener", "MaxConcurrentCompactions", "Levels", "WALBytesPerSync"},
		Geth:  gethOptions, GethPreset: "geth-v1",
	}.Run(t)
}

func levels(o *pebble.Options) (levels [lsm.NumLevels]pebbletest.Level) {
	for i := range levels {
		l := o.Level(i)
		levels[i] = pebbletest.Level{
			BlockSize: l.BlockSize, IndexBlockSize: l.IndexBlockSize, RestartInterval: l.BlockRestartInterval,
			TargetFileSize: l.TargetFileSize, Compression: l.Compression.String(), Filter: l.FilterPolicy, Others: l,
		}
	}
	return levels
}

// gethOptions returns the options of ethdb/pebble/pebble_v1.go.
func gethOptions() *pebble.Options {
	filtered := func(targetFileSize int64) pebble.LevelOptions {
		return pebble.LevelOptions{TargetFileSize: targetFileSize, FilterPolicy: bloom.FilterPolicy(10)}
	}
	o := &pebble.Options{
		MaxOpenFiles:                5_000,
		MemTableSize:                2 << 30 / 2 / 4,
		MemTableStopWritesThreshold: 8,
		L0CompactionThreshold:       2,
		Levels: []pebble.LevelOptions{
			filtered(16 << 20), filtered(4 << 20), filtered(8 << 20), filtered(16 << 20), filtered(32 << 20), filtered(64 << 20),
			{TargetFileSize: 128 << 20},
		},
	}
	o.Experimental.ReadSamplingMultiplier = -1
	o.Experimental.L0CompactionConcurrency = 1
	o.Experimental.CompactionDebtConcurrency = 1 << 28
	return o
}

func TestCompressionsAreKnown(t *testing.T) { pebbletest.SameCompressions(t, library, compressions) }

func TestTableForms(t *testing.T) {
	usual := engine.TableOptions{Snappy: blockformat.SnappyEighth}
	pebbletest.TableForms(t, pebbleEngine{library}, usual, []pebbletest.TableForm{
		{Preset: "bench_kvdb", Format: "RocksDBv2", BloomL6: 10},
		{Preset: "pebble", Format: "RocksDBv2"},
		{Preset: "geth-v1", Format: "RocksDBv2"},
		{Preset: "geth-v1", Options: []string{"format=4"}, Format: "RocksDBv2"},
		{Preset: "geth-v1", Options: []string{"format=5"}, Format: "Pebblev1"},
		{Preset: "geth-v1", Options: []string{"format=7"}, Format: "Pebblev1"},
		{Preset: "bench_kvdb", Options: []string{"format=8"}, Format: "Pebblev2", BloomL6: 10},
		{Preset: "bench_kvdb", Options: []string{"format=12"}, Format: "Pebblev2", BloomL6: 10},
		{Preset: "bench_kvdb", Options: []string{"format=13"}, Format: "Pebblev2", BloomL6: 10},
		{Preset: "bench_kvdb", Options: []string{"format=14"}, Format: "Pebblev2", BloomL6: 10},
	})
}

func TestTableFormAssumptions(t *testing.T) {
	pebbletest.EachLevel(t, library, func(c *pebbledb.Config, level int) bool {
		o := writeOptions(c, pebbledb.NewLogger())
		defer o.Cache.Unref()
		o.EnsureDefaults()
		table := tableOptions(c, level)
		return table.BlockSizeThreshold == pebbledb.BlockSizeThreshold && !table.Parallelism &&
			len(table.BlockPropertyCollectors)+len(table.TablePropertyCollectors) == 0 &&
			o.Experimental.EnableValueBlocks == nil && o.Experimental.MaxWriterConcurrency == 0
	})
}
