package engines_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"getio/engine/engines"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/internal/enginetest"
	"getio/internal/pebbletest"
)

// suites are the engines that conform, by name.
var suites = map[string]suite{
	"goleveldb": {
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
	},
	"pebblev1": {
		Engine:     pebblev1.Engine,
		TableFiles: "*.sst",
		Small:      pebbletest.Small,
	},
	"pebblev2": {
		Engine:     pebblev2.Engine,
		TableFiles: "*.sst",
		Small:      pebbletest.Small,
		Variants: map[string][]string{
			"columnar": {fmt.Sprintf("format=%d", pebble.FormatNewest)},
		},
	},
}

func TestMain(m *testing.M) { os.Exit(enginetest.Main(m, engines.Available()...)) }

func TestConformance(t *testing.T) {
	for name, s := range suites {
		t.Run(name, s.run)
	}
}
