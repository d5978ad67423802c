package geth

import (
	"math"
	"strconv"
	"strings"

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
	levelDBShare  = 0.5     // of LevelDB's bytes are not for blocks (ethdb/leveldb/leveldb.go, New)
	mib           = 1 << 20 // the unit of its caches
)

// Store describes how the key-value store of geth or a fork divides its memory.
type Store struct {
	// Share is the part for memtables: 2/4 in geth 1.13.15, 1.14.13 and 1.15.11, 2/8 in 1.16.0 and later and in op-geth
	// 1.101605.0 (ethdb/pebble/pebble.go, New). The database's options file contains it. The rest is for blocks.
	Share float64
	// Small is the size of the memtables in bytes while the client has not filled its first one; 0 otherwise.
	Small int64
}

// StoreOf returns the store of the named engine by the rules of Version.
func StoreOf(engine string) Store {
	if engine == "goleveldb" {
		return Store{Share: levelDBShare}
	}
	return Store{Share: memtableShare}
}

// BlockBytes returns the bytes for blocks in a store of the given size.
func (s Store) BlockBytes(store int64) int64 {
	if s.Small > 0 {
		return store - s.Small
	}
	return int64(float64(store) * (1 - s.Share))
}

// CacheBytes returns the bytes for blocks; cache is --cache in MiB.
func (s Store) CacheBytes(cache int64) int64 {
	return s.BlockBytes(Flags{cache, DatabasePercent}.StoreBytes(0))
}

// LeastBytes returns the bytes for blocks in the smallest store.
func (s Store) LeastBytes() int64 { return s.BlockBytes(LeastStoreMiB * mib) }

// MiB returns the size of the store, in MiB, that has the given bytes for blocks.
func (s Store) MiB(blocks int64) int64 {
	store := divideUp(blocks+s.Small, mib)
	if s.Small == 0 {
		store = int64(math.Ceil(float64(blocks) / (1 - s.Share) / mib))
	}
	if s.Share == levelDBShare {
		store += store % 2 // geth halves whole MiB
	}
	return max(store, LeastStoreMiB)
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

// FlagsIn returns the flags in the arguments of a program. given reports whether --cache is among them.
func FlagsIn(args []string) (f Flags, given bool) {
	f.Database = DatabasePercent
	for i, arg := range args {
		name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || !strings.HasPrefix(arg, "-") {
			continue
		}
		switch name {
		case "cache":
			f.Cache, given = n, true
		case "cache.database":
			f.Database = n
		}
	}
	return f, given
}

// StoreBytes returns the size of the store with these flags on a machine with the given memory; 0: not known.
func (f Flags) StoreBytes(memory int64) int64 {
	if most := MostCacheMiB(memory); most > 0 {
		f.Cache = min(f.Cache, most)
	}
	return max(f.Cache*f.Database/100, LeastStoreMiB) * mib
}

func divideUp(a, b int64) int64 { return (a + b - 1) / b }
