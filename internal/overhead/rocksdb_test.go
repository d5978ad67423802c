//go:build rocksdb

package overhead

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/rocksdb"
	"getio/internal/truth/truthtest"
)

// BenchmarkRocksDBCost compares the CPU time per Get of the engine, with all that it counts, with
// that of a program that uses plain RocksDB, in one thread each.
func BenchmarkRocksDBCost(b *testing.B) {
	dir, store, gets := costDataset(b, rocksdb.Engine)
	var keys [][]byte
	var text strings.Builder
	for g := range int64(costGets) {
		key, _ := gets.Key(g, nil)
		keys = append(keys, key)
		fmt.Fprintln(&text, strings.ToUpper(hex.EncodeToString(key)))
	}
	onCaches(b, 1<<20, func(b *testing.B, cacheBytes int64) {
		compare(b,
			kind{"bare", func() float64 { return bareRocksDB(b, dir, cacheBytes, text.String()) }},
			kind{"counted", func() float64 { return countedRocksDB(b, store, cacheBytes, keys) }})
	})
}

// bareRocksDB is the CPU time per Get of the program, in microseconds.
func bareRocksDB(b *testing.B, dir string, cache int64, keys string) float64 {
	b.Helper()
	family := fmt.Sprintf("%X", "default")
	figures := strings.Fields(truthtest.Ask(b, keys, "gets", dir, strconv.FormatInt(cache, 10), "cached", "1000", family))
	spent, err := strconv.ParseFloat(figures[len(figures)-1], 64)
	require.NoError(b, err)
	return spent / costGets
}

// countedRocksDB is the CPU time per Get of the engine, in microseconds.
func countedRocksDB(b *testing.B, store engine.Store, cache int64, keys [][]byte) float64 {
	b.Helper()
	db, err := store.Open(engine.OpenConfig{CacheBytes: cache})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	for _, key := range keys { // as the program does
		_, _, err := db.Get(key, nil)
		require.NoError(b, err)
	}
	before := cpu()
	var value []byte
	for _, key := range keys {
		v, found, err := db.Get(key, value)
		require.NoError(b, err)
		require.True(b, found, "a key is missing")
		value = v
	}
	return float64((cpu() - before).Nanoseconds()) / 1e3 / costGets
}
