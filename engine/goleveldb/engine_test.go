package goleveldb_test

import (
	"os"
	"testing"

	"getio/engine/enginetest"
	"getio/engine/goleveldb"
)

var suite = enginetest.Suite{
	Engine:     goleveldb.Engine,
	TableFiles: "*.ldb",
	Small: []string{
		"block_size=512", "table_size=64KiB", "memtable_size=256KiB", "l1_max_bytes=256KiB", "level_multiplier=4",
	},
	OneLevelIndex: true, OneShard: true, Undescribed: true,
	Variants: map[string][]string{
		"uncompressed": {"compression=none"},
	},
}

func TestMain(m *testing.M) {
	suite.HoldIfAsked()
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) { suite.Run(t) }
