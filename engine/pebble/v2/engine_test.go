package pebblev2_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"getio/engine/enginetest"
	pebblev2 "getio/engine/pebble/v2"
)

var suite = enginetest.Suite{
	Engine:     pebblev2.Engine,
	TableFiles: "*.sst",
	Small: []string{
		"block_size=512", "index_block_size=512", "target_file_size=64KiB",
		"memtable_size=256KiB", "lbase_max_bytes=256KiB",
	},
	Variants: map[string][]string{
		"columnar": {fmt.Sprintf("format=%d", pebble.FormatNewest)},
	},
}

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestConformance(t *testing.T) { suite.Run(t) }
