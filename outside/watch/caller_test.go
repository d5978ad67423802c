package watch

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFrameOf(t *testing.T) {
	const module = "github.com/ethereum/go-ethereum/"
	for function, want := range map[string]frame{
		module + "internal/ethapi.(*BlockChainAPI).GetBalance": {"ethapi.(*BlockChainAPI).GetBalance", "BlockChainAPI.GetBalance", ""},
		module + "eth/filters.(*FilterAPI).GetLogs.func1":      {"filters.(*FilterAPI).GetLogs", "FilterAPI.GetLogs", ""},
		module + "eth.DebugAPI.DbGet":                          {"eth.DebugAPI.DbGet", "DebugAPI.DbGet", ""},
		module + "internal/ethapi.(*BlockChainAPI).header":     {"ethapi.(*BlockChainAPI).header", "", ""},
		module + "core/rawdb.ReadCanonicalHash":                {"rawdb.ReadCanonicalHash", "", "ReadCanonicalHash"},
		module + "core/rawdb.HasBody":                          {"rawdb.HasBody", "", "HasBody"},
		module + "core/rawdb.WriteBody":                        {"rawdb.WriteBody", "", ""},
		module + "core/state.(*subfetcher).loop.func1.2":       {"state.(*subfetcher).loop", "", ""},
		"example.org/m.list[...].each-range1":                  {"m.list[...].each", "", ""},
		"sync.(*WaitGroup).Go.func1":                           {},
		"runtime.goexit":                                       {},
	} {
		assert.Equal(t, want, frameOf(function), function)
	}
}

func TestCauseIn(t *testing.T) {
	for function, want := range map[string]string{
		"github.com/cockroachdb/pebble.(*DB).compact1":                    "compaction",
		"github.com/cockroachdb/pebble/v2.(*DB).flush1":                   "flush",
		"github.com/cockroachdb/pebble/v2.(*Iterator).SeekGE":             "iterator",
		"github.com/cockroachdb/pebble/v2.(*DB).collectTableStats":        "table_statistics",
		"github.com/cockroachdb/pebble.(*DB).compactThat":                 "",
		"github.com/syndtr/goleveldb/leveldb.(*DB).tCompaction":           "compaction",
		"github.com/syndtr/goleveldb/leveldb.(*dbIter).Next":              "iterator",
		"github.com/syndtr/goleveldb/leveldb/table.(*Reader).NewIterator": "",
		"example.org/pebble.(*DB).compact1":                               "",
	} {
		assert.Equal(t, want, string(causeIn(function)), function)
	}
}
