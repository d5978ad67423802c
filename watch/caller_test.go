package watch

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/watch/probe"
)

func TestFrameOf(t *testing.T) {
	const module = "github.com/ethereum/go-ethereum/"
	for function, want := range map[string]frame{
		module + "internal/ethapi.(*BlockChainAPI).GetBalance": {name: "ethapi.(*BlockChainAPI).GetBalance", method: "BlockChainAPI.GetBalance"},
		module + "eth/filters.(*FilterAPI).GetLogs.func1":      {name: "filters.(*FilterAPI).GetLogs.func1", method: "FilterAPI.GetLogs", closure: true},
		module + "eth.DebugAPI.DbGet":                          {name: "eth.DebugAPI.DbGet", method: "DebugAPI.DbGet"},
		module + "internal/ethapi.(*BlockChainAPI).header":     {name: "ethapi.(*BlockChainAPI).header"},
		module + "core/rawdb.ReadCanonicalHash":                {name: "rawdb.ReadCanonicalHash", accessor: "ReadCanonicalHash"},
		module + "core/rawdb.HasBody":                          {name: "rawdb.HasBody", accessor: "HasBody"},
		module + "core/rawdb.WriteBody":                        {name: "rawdb.WriteBody"},
		module + "core/state.(*subfetcher).loop.func1.2":       {name: "state.(*subfetcher).loop.func1.2", closure: true},
		"example.org/m.list[...].each-range1":                  {name: "m.list[...].each"},
		"example.org/m.list[...]":                              {name: "m.list"},
		"example.org/m.all.gowrap1":                            {name: "m.all.gowrap1", closure: true},
		"github.com/cockroachdb/pebble.(*DB).Get":              {name: "pebble.(*DB).Get", library: true},
		"sync.(*WaitGroup).Go.func1":                           {},
		"runtime.goexit":                                       {},
	} {
		assert.Equal(t, want, frameOf(function), function)
	}
}

// TestCallerOf: goroutines that begin with closures are told apart by what these call.
func TestCallerOf(t *testing.T) {
	for _, test := range []struct {
		want  string
		stack []string // the innermost function first
	}{
		{"m.scan", []string{"os.(*File).ReadAt", "github.com/cockroachdb/pebble.(*Iterator).First", "m.scan", "runtime.goexit"}},
		{"m.main.gowrap1 (m.scan)", []string{"github.com/cockroachdb/pebble.(*Iterator).First", "m.scan", "m.main.gowrap1"}},
		{"m.main.func1 (m.scan)", []string{"github.com/cockroachdb/pebble.(*Iterator).First", "m.each", "m.scan", "m.main.func1", "sync.(*WaitGroup).Go.func1"}},
		{"m.main.func2", []string{"os.(*File).ReadAt", "github.com/cockroachdb/pebble.(*Iterator).First", "m.main.func2"}},
		{"pebble.(*DB).compact", []string{"os.(*File).ReadAt", "github.com/cockroachdb/pebble.(*DB).compact"}},
	} {
		c := stacks{known: map[uint64]frame{}}
		var stack []uint64
		for i, function := range test.stack {
			c.known[uint64(i)] = frameOf(function)
			stack = append(stack, uint64(i))
		}
		assert.Equal(t, test.want, c.caller(&probe.Read{Stack: stack}).method, test.stack)
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
