package pebblev1_test

import (
	"os"
	"testing"

	"getio/engine/enginetest"
	pebblev1 "getio/engine/pebble/v1"
)

var suite = enginetest.Suite{
	Engine:     pebblev1.Engine,
	TableFiles: "*.sst",
	Small: []string{
		"block_size=512", "index_block_size=512", "target_file_size=64KiB",
		"memtable_size=256KiB", "lbase_max_bytes=256KiB",
	},
}

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestConformance(t *testing.T) { suite.Run(t) }
