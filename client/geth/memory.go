package geth

import (
	"math"

	"getio/engine/pebble/pebbledb"
)

// Version is the release of geth with these rules. geth lowers --cache to a third of the memory of the machine or its
// control group (cmd/utils/flags.go, SetEthConfig). Of that, the store gets the share --cache.database, in whole MiB,
// and at least 16 MiB (minCache in ethdb/pebble/pebble.go and ethdb/leveldb/leveldb.go); the other caches keep their
// shares. Each memtable takes an eighth of what Pebble gets, which Pebble reserves from the block cache
// (ethdb/pebble/pebble.go, New).
const (
	Version = "1.17.5"

	DatabasePercent = 50 // default of --cache.database
	LeastStoreMiB   = 16
	DefaultStore    = 2 << 30 // bytes, of a mainnet database (eth/ethconfig/config.go, Defaults.DatabaseCache)

	memtableShare = pebbledb.RunningMemtables / 8.0
	memoryShare   = 3       // one in so many bytes of memory is for --cache
	levelDBShare  = 2       // one in so many bytes of LevelDB's are for blocks (ethdb/leveldb/leveldb.go, New)
	mib           = 1 << 20 // the unit of its caches
)

// BlockBytes returns the bytes for blocks in a Pebble store of so many bytes.
func BlockBytes(store int64) int64 { return int64(float64(store) * (1 - memtableShare)) }

// LeastCache returns the smallest block cache that geth gives a store of the named engine, in bytes: Pebble gets all of
// the store's memory, LevelDB half of it.
func LeastCache(engine string) int64 {
	if engine == "goleveldb" {
		return LeastStoreMiB * mib / levelDBShare
	}
	return LeastStoreMiB * mib
}

// StoreMiB returns what geth must give a store of the named engine to leave room bytes for blocks.
func StoreMiB(engine string, room int64) int64 {
	store := int64(math.Ceil(float64(room) / (1 - memtableShare) / mib))
	if engine == "goleveldb" {
		store = divideUp(room, mib) * levelDBShare
	}
	return max(store, LeastStoreMiB)
}

// StoreBesideMiB returns what geth must give Pebble to leave room bytes for blocks beside memtables of so many bytes.
func StoreBesideMiB(memtables, room int64) int64 {
	return max(divideUp(room+memtables, mib), LeastStoreMiB)
}

// MostCacheMiB returns the largest --cache that geth leaves as it is on a machine; 0 if the machine's memory is
// not known.
func MostCacheMiB(memory int64) int64 { return memory / mib / memoryShare }

// Flags are the values of --cache, in MiB, and --cache.database, in per cent.
type Flags struct{ Cache, Database int64 }

// FlagsOf returns the flags that give the store so many MiB: with the default --cache.database, or
// with a larger one where geth would lower --cache. possible is false if no flags do.
func FlagsOf(store, memory int64) (f Flags, possible bool) {
	f = Flags{Cache: divideUp(store*100, DatabasePercent), Database: DatabasePercent}
	if most := MostCacheMiB(memory); memory > 0 && f.Cache > most {
		if most == 0 {
			return f, false
		}
		f = Flags{Cache: most, Database: divideUp(store*100, most)}
	}
	return f, f.Database <= 100
}

func divideUp(a, b int64) int64 { return (a + b - 1) / b }
