package cachesim

import (
	"fmt"
	"runtime"

	"getio/engine/readpath"
	"getio/numbers/units"
)

// Block is a block of a table.
type Block struct {
	// Number identifies the block among all that a cache sees: File and Offset take more bits together.
	Number uint64
	File   uint64
	Offset int64
	Stored uint32 // bytes in the file, with the trailer
	Size   uint32 // bytes decompressed
	// Component and the fields below matter to RocksDB. Other libraries treat all blocks alike.
	Component readpath.Component
	TopFilter bool   // it is the top-level index of a partitioned filter
	Found     bool   // it is the data block that contains the Get's key
	Hash      uint32 // by which the library chooses a shard; 0 if it is not known
}

// Numbers numbers blocks from 1, in the order in which it first sees them.
type Numbers map[place]uint64

type place struct {
	file   uint64
	offset int64
}

// Of returns the number of the block at an offset of a file.
func (n Numbers) Of(file uint64, offset int64) uint64 {
	at := place{file, offset}
	number, known := n[at]
	if !known {
		number = uint64(len(n)) + 1
		n[at] = number
	}
	return number
}

// Cache simulates the whole block cache of a library.
type Cache interface {
	// Access looks a block up, and may add it after a miss.
	Access(b Block) (hit bool)
}

// Library is how a library caches blocks.
type Library interface {
	// Policy is the name of its replacement policy.
	Policy() string
	// Shards is how many shards it gives a cache.
	Shards(cacheBytes int64, processors int) int
	// New returns an empty cache, of which some bytes are reserved for other things than blocks. A
	// cache without room for blocks is an error.
	New(bytes, reserved int64, shards int) (Cache, error)
	// Charge is what a block takes of a cache, in bytes, as far as it depends on the block alone.
	Charge(b Block) uint32
	// ShardOf is the shard that a block belongs to.
	ShardOf(b Block, shards int) int
}

// shardedCache is a cache whose shards do not depend on each other, each with the library's policy.
type shardedCache struct {
	library Library
	shards  []Policy
}

func newShardedCache(l Library, bytes, reserved int64, shards int) (Cache, error) {
	room, err := room(bytes, reserved, shards)
	if err != nil {
		return nil, err
	}
	c := &shardedCache{library: l}
	for range shards {
		policy, err := New(l.Policy(), room)
		if err != nil {
			return nil, err
		}
		c.shards = append(c.shards, policy)
	}
	return c, nil
}

func (c *shardedCache) Access(b Block) (hit bool) {
	return c.shards[c.library.ShardOf(b, len(c.shards))].Access(b.Number, c.library.Charge(b))
}

const (
	variantsOfLibrary = 4
	// NotableDeviation is the standard deviation of the reads of variants, as a share of their mean, from
	// which on it is reported.
	NotableDeviation = 0.01
)

// VariantsOf returns copies of a library that differ in what cannot be known: its random decisions or, of RocksDB, in
// which shard a block lies. It returns the library alone if nothing is random, and for RocksDB if no cache has more than
// one shard, or if blocks are hashed; shards is the most that a cache has. HyperClock has other hashes.
func VariantsOf(l Library, shards int, hashed bool) (variants []Library) {
	for seed := range uint64(variantsOfLibrary) {
		random := false
		switch own := l.(type) {
		case LevelDB:
			own.Variant, random = int(seed), own.Processors > 0
			l = own
		case RocksDB:
			own.Placement, random = seed, shards > 1 && !hashed
			l = own
		case HyperClock:
			own.Placement, random = seed, shards > 1
			l = own
		}
		if variants = append(variants, l); !random {
			break
		}
	}
	return variants
}

// LibraryOf returns the library of an engine, by the engine's name and the options it is opened with.
func LibraryOf(engine string, options map[string]string) (Library, error) {
	switch engine {
	case "pebblev1":
		return PebbleV1, nil
	case "pebblev2":
		return PebbleV2, nil
	case "goleveldb":
		if options["client"] == "leveldb" {
			return LevelDB{}, nil
		}
		blockSize, err := units.ParseSize(options["block_size"])
		return LevelDB{BlockSize: blockSize, Processors: runtime.GOMAXPROCS(0)}, err
	case "rocksdb":
		if options["cache"] == "lru" {
			return RocksDB{}, nil
		}
		blockSize, err := units.ParseSize(options["block_size"])
		return HyperClock{EntryCharge: blockSize}, err
	}
	return nil, fmt.Errorf("the block cache of %s cannot be simulated: choose a database of pebblev1, pebblev2, goleveldb or rocksdb, or measure it with 'getio sweep'", engine)
}

// room returns the bytes for blocks in each shard of a cache.
func room(bytes, reserved int64, shards int) (int64, error) {
	if shards >= 1 {
		n := int64(shards)
		if room := bytes/n - (reserved+n-1)/n; room >= 1 {
			return room, nil
		}
	}
	return 0, fmt.Errorf("a cache of %d bytes has no room for blocks in %d shards: choose a larger one", bytes, shards)
}

// ReadaheadOf returns Linux's default readahead in bytes for the tables of a library. It is 0 for Pebble and RocksDB, which
// open tables with POSIX_FADV_RANDOM; LevelDB gives no advice.
func ReadaheadOf(l Library) int64 {
	if _, ok := l.(LevelDB); ok {
		return usualReadahead
	}
	return 0
}

// usualReadahead is the default readahead of a disk (VM_READAHEAD_PAGES).
const usualReadahead = 128 << 10
