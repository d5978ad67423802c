package advice

import "math"

// go-ethereum 1.17.10 gives Pebble the share --cache.database of --cache. Each memtable takes an
// eighth of that, which Pebble reserves from the block cache (cmd/utils/flags.go;
// ethdb/pebble/pebble.go, New). There is always one memtable, and up to four under heavy writes.
const (
	gethDatabaseShare = 0.5 // default of --cache.database
	gethMemtableShare = 1.0 / 8
)

// GethDefault is the cache in bytes that geth gives a mainnet database by default
// (eth/ethconfig/config.go, Defaults.DatabaseCache).
const GethDefault = 2 << 30

// GethBlockBytes returns the bytes for blocks in a Pebble cache of geth.
func GethBlockBytes(cacheBytes int64) int64 {
	return int64(float64(cacheBytes) * (1 - gethMemtableShare))
}

// gethLeast is the smallest cache in bytes that geth gives Pebble (ethdb/pebble/pebble.go,
// minCache).
const gethLeast = 16 << 20

// gethCache returns the --cache, in MiB, that leaves room bytes for blocks.
func gethCache(room int64) int64 {
	pebbles := max(float64(room)/(1-gethMemtableShare), gethLeast)
	return int64(math.Ceil(pebbles / gethDatabaseShare / (1 << 20)))
}
