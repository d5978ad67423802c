package goleveldb_test

import (
	"os"
	"testing"

	"getio/engine/goleveldb"
	"getio/internal/enginetest"
)

var suite = enginetest.Suite{
	Engine:     goleveldb.Engine,
	TableFiles: "*.ldb",
	Small: []string{
		"block_size=512", "table_size=64KiB", "memtable_size=256KiB", "l1_max_bytes=256KiB", "level_multiplier=4",
	},
	OneLevelIndex: true, OneShard: true, NoProperties: true,
	Variants: map[string][]string{
		"uncompressed": {"compression=none"},
	},
	Refused: map[string]string{
		"compression=zstd":        "goleveldb knows snappy, none",
		"l0_pause_trigger=3":      "below l0_compaction_trigger",
		"index_block_size=4KiB":   "is not known: use one of block_size,",
		"bloom_bits.L0=10":        "only per-level options",
		"level_multiplier=1":      "out of range",
		"l0_compaction_trigger=0": "out of range",
	},
}

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestConformance(t *testing.T) { suite.Run(t) }
