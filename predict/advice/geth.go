package advice

import (
	"math"

	"getio/engine/pebble/pebbledb"
	"getio/record"
)

// The rules by which go-ethereum 1.17.5 divides memory. It lowers --cache to a third of the memory of
// the machine or its control group (cmd/utils/flags.go, SetEthConfig). Of that, the database gets the
// share --cache.database, in whole MiB, and at least 16 MiB; the other caches keep their shares
// (cmd/utils/flags.go). Each memtable takes an eighth of what Pebble gets, which Pebble reserves from
// the block cache (ethdb/pebble/pebble.go, New).
const (
	GethVersion = "1.17.5"

	gethMemtableShare = pebbledb.RunningMemtables / 8.0
	gethMemoryShare   = 3       // one in so many bytes of memory is for --cache
	gethLevelDBShare  = 2       // one in so many bytes of LevelDB's are for blocks (ethdb/leveldb/leveldb.go, New)
	mib               = 1 << 20 // geth's unit of caches
)

// GethDefault is the cache in bytes that geth gives a mainnet database by default
// (eth/ethconfig/config.go, Defaults.DatabaseCache).
const GethDefault = 2 << 30

// GethBlockBytes returns the bytes for blocks in a Pebble cache of geth.
func GethBlockBytes(cacheBytes int64) int64 {
	return int64(float64(cacheBytes) * (1 - gethMemtableShare))
}

// gethCap returns the largest --cache, in MiB, that geth leaves as it is on a machine; 0 if the
// machine's memory is not known.
func gethCap(memory int64) int64 { return memory / mib / gethMemoryShare }

// gethFlags are the values of --cache, in MiB, and --cache.database, in per cent.
type gethFlags struct{ cache, database int64 }

// gethStore returns what geth must give its store to leave room bytes for blocks, in MiB.
func (q *Question) gethStore(room int64) int64 {
	store := int64(math.Ceil(float64(room) / (1 - gethMemtableShare) / mib))
	switch {
	case q.Library == "goleveldb":
		store = divideUp(room, mib) * gethLevelDBShare
	case q.FirstMemtable:
		store = divideUp(room+pebbledb.ReopenedMemtables(q.pebbleVersion()), mib)
	}
	return max(store, record.GethLeastMiB)
}

// flagsOf returns the flags that give the store so many MiB: with the default --cache.database, or
// with a larger one where geth would lower --cache. possible is false if no flags do.
func flagsOf(store, memory int64) (f gethFlags, possible bool) {
	f = gethFlags{cache: divideUp(store*100, record.GethDatabasePercent), database: record.GethDatabasePercent}
	if most := gethCap(memory); memory > 0 && f.cache > most {
		if most == 0 {
			return f, false
		}
		f = gethFlags{cache: most, database: divideUp(store*100, most)}
	}
	return f, f.database <= 100
}

func divideUp(a, b int64) int64 { return (a + b - 1) / b }
