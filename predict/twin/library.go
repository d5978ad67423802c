package twin

import (
	"cmp"
	"fmt"
	"strconv"

	"getio/engine/lsm"
	"getio/predict/bloom"
	"getio/predict/cachesim"
)

// Library describes how a library's Gets read a tree.
type Library struct {
	// SkipsByBounds: a Get does not visit a table that begins beyond its key. Pebble v1
	// visits the first table that ends at or beyond the key, and reads its index and filter
	// even if it begins beyond the key; v2 does not (level_iter.go).
	SkipsByBounds bool
	// AllOfLevel0: a Get visits every table of L0 that may hold its key, even after one did.
	AllOfLevel0 bool
	// FiltersFirst: a Get consults a table's filter before its top index, which it accesses only if the
	// filter does not rule out the key.
	FiltersFirst bool
	// LastLevelFilters says whether Gets consult the filters of the last level.
	LastLevelFilters LastLevelFilters
	// MetadataOutside: open tables hold top indexes and filters, of partitioned ones only the top,
	// outside the cache.
	MetadataOutside bool
	// FalsePositives returns the false-positive rate of a table's filter.
	FalsePositives func(lsm.Table) float64
	// Reserved is what a read-only open takes of the cache for a memtable, in bytes.
	Reserved int64
	// Cache is how the library caches blocks. Pebble assigns blocks to shards by their offsets. It is
	// applied to filters and top indexes where the shape holds these: they are large or few, so
	// their distribution matters. Other blocks are assigned at random.
	Cache cachesim.Library
}

// LastLevelFilters says whether Gets consult the filters of the last level.
type LastLevelFilters int

const (
	NotOfL6      LastLevelFilters = iota // the filters of L6 are not consulted
	OfAll                                // all are consulted
	NotOfTheLast                         // those of the last level that has tables are not
)

func (f LastLevelFilters) consults(level, last int) bool {
	switch f {
	case NotOfL6:
		return level < lsm.NumLevels-1
	case NotOfTheLast:
		return level < last
	}
	return true
}

// The Pebbles that getio measures.
var (
	PebbleV1 = Library{FalsePositives: bloom.Pebble, Reserved: pebbleReserved, Cache: cachesim.PebbleV1}
	PebbleV2 = Library{SkipsByBounds: true, FalsePositives: bloom.Pebble, Reserved: pebbleReserved, Cache: cachesim.PebbleV2}
)

const pebbleReserved = 256 << 10

// LevelDB returns goleveldb with the given cache (leveldb/version.go, walkOverlapping; leveldb/table/reader.go,
// find).
func LevelDB(cache cachesim.LevelDB) Library {
	return Library{
		SkipsByBounds: true, AllOfLevel0: true, LastLevelFilters: OfAll,
		FalsePositives: bloom.LevelDB, Cache: cache,
	}
}

// RocksDB returns RocksDB 7 with its cache and the options that it reads with (db/version_set.cc,
// Version::Get; table/block_based/block_based_table_reader.cc, Get).
func RocksDB(cache cachesim.Library, options map[string]string) Library {
	l := Library{
		SkipsByBounds: true, FiltersFirst: true, LastLevelFilters: OfAll,
		MetadataOutside: options["cache_index_and_filter_blocks"] == "false",
		FalsePositives:  bloom.RocksDB, Cache: cache,
	}
	if options["optimize_filters_for_hits"] == "true" {
		l.LastLevelFilters = NotOfTheLast
	}
	if version, err := strconv.Atoi(options["format_version"]); err == nil && version < bloom.RocksDBFormat {
		l.FalsePositives = bloom.Pebble
	}
	return l
}

// LibraryOf returns the library of an engine, by the engine's name and the options it is opened with.
func LibraryOf(engine string, options map[string]string) (Library, error) {
	cache, err := cachesim.LibraryOf(engine, options)
	switch cache := cache.(type) {
	case cachesim.LevelDB:
		l := LevelDB(cache)
		l.MetadataOutside = options["client"] == "leveldb"
		return l, err
	case cachesim.RocksDB, cachesim.HyperClock:
		return RocksDB(cache, options), err
	case cachesim.Pebble:
		if engine == "pebblev1" {
			return PebbleV1, err
		}
		return PebbleV2, err
	}
	return Library{}, cmp.Or(err, fmt.Errorf("the reads of %s cannot be predicted: choose a database of pebblev1, pebblev2, goleveldb or rocksdb", engine))
}

// Outside returns the bytes of top indexes and filters that open tables hold outside of the cache: 0 unless MetadataOutside.
func (l *Library) Outside(s *lsm.Shape) (sum int64) {
	if !l.MetadataOutside {
		return 0
	}
	for _, level := range s.Levels {
		for _, t := range level.TableList {
			if sum += t.TopIndexBytes; t.FilterBlocks > 0 {
				sum += t.TopFilterBytes
			} else {
				sum += t.FilterBytes
			}
		}
	}
	return sum
}

// Sharded reports whether the cache consists of shards that do not depend on each other, so that
// a sample of them may be simulated.
func (l *Library) Sharded() bool {
	_, sharded := l.Cache.(cachesim.Pebble)
	return sharded
}

// shards returns how blocks are assigned to the shards of a cache.
func (l *Library) shards() cachesim.Pebble {
	if own, ok := l.Cache.(cachesim.Pebble); ok {
		return own
	}
	return cachesim.PebbleV1
}
