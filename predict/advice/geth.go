package advice

import "math"

// go-ethereum 1.17.10 gives Pebble the share --cache.database of --cache, and lets
// each memtable take an eighth of that, which Pebble sets aside from the block
// cache (cmd/utils/flags.go; ethdb/pebble/pebble.go, New). One memtable is there at
// any time; up to four while much is written.
const (
	gethDatabaseShare = 0.5 // default of --cache.database
	gethMemtableShare = 1.0 / 8
)

// GethDefault is the cache, in bytes, that geth gives a mainnet database by
// default (eth/ethconfig/config.go, Defaults.DatabaseCache).
const GethDefault = 2 << 30

// GethBlockBytes is what a Pebble cache of so many bytes has left for blocks in geth.
func GethBlockBytes(cacheBytes int64) int64 {
	return int64(float64(cacheBytes) * (1 - gethMemtableShare))
}

// gethLeast is the least that geth gives Pebble, in bytes, whatever it is told
// (ethdb/pebble/pebble.go, minCache).
const gethLeast = 16 << 20

// gethCache is the --cache, in MiB, that leaves so many bytes for blocks.
func gethCache(room int64) int64 {
	pebbles := max(float64(room)/(1-gethMemtableShare), gethLeast)
	return int64(math.Ceil(pebbles / gethDatabaseShare / (1 << 20)))
}
