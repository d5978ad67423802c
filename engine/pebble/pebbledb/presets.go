package pebbledb

import "getio/engine/openfile"

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// presets by name. Each is complete, so that a library's changed default
// cannot change a preset unnoticed; the tests compare "pebble" to the
// libraries' own defaults.
var presets = map[string]func() *Config{
	"bench_kvdb": benchKVDB,
	"geth":       geth,
	"geth-v1":    gethV1,
	"pebble":     libraryDefaults,
}

// libraryDefaults are the defaults of pebble.Options.EnsureDefaults, which v1
// and v2 share in all that Config holds.
func libraryDefaults() *Config {
	return &Config{
		BlockSize:             4 * kib,
		IndexBlockSize:        4 * kib,
		BlockRestartInterval:  16,
		TargetFileSize:        doubling(2 * mib),
		Compression:           "snappy",
		Format:                FormatMostCompatible,
		MaxOpenFiles:          1000,
		MemTableSize:          4 * mib,
		MemTableStopWrites:    2,
		L0CompactionThreshold: 4,
		L0StopWritesThreshold: 12,
		LBaseMaxBytes:         64 * mib,
		ReadSampling:          true,
		L0Concurrency:         10,
		DebtConcurrency:       1 * gib,
		LoadCacheBytes:        8 * mib,
	}
}

// benchKVDB is the published study's configuration: geth's of that time, with
// a Bloom filter of 10 bits per key on every level and a 512 MiB cache to load
// with, half of it for two memtables.
func benchKVDB() *Config {
	c := libraryDefaults()
	c.BloomBits = [7]int{10, 10, 10, 10, 10, 10, 10}
	c.MaxOpenFiles = openfile.ForDatabase()
	c.MemTableSize = 128 * mib
	c.ReadSampling = false
	c.LoadCacheBytes = 512 * mib
	return c
}

// geth is go-ethereum 1.17.10's Pebble v2 configuration (ethdb/pebble/pebble.go)
// with its default database cache of 2 GiB: memtables of an eighth of it, larger
// L0 tables. It leaves L6 without a filter policy of its own, and v2 gives a
// level without one that of the level above (Pebble: options.go,
// EnsureL1PlusDefaults): tables of L6 have filters, which Get never consults.
func geth() *Config {
	c := gethV1()
	c.BloomBits[6] = 10
	c.Format = formatFlushableIngest
	return c
}

// gethV1 is go-ethereum 1.17.10's configuration for databases that Pebble v1
// wrote (ethdb/pebble/pebble_v1.go), which it keeps in their format.
func gethV1() *Config {
	c := libraryDefaults()
	c.BloomBits = [7]int{10, 10, 10, 10, 10, 10, 0}
	c.TargetFileSize = [7]int64{16 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib, 64 * mib, 128 * mib}
	c.MaxOpenFiles = openfile.ForDatabase()
	c.MemTableSize = 256 * mib
	c.MemTableStopWrites = 8
	c.L0CompactionThreshold = 2
	c.ReadSampling = false
	c.L0Concurrency = 1
	c.DebtConcurrency = 256 * mib
	c.LoadCacheBytes = 2 * gib
	return c
}

// formatFlushableIngest is the newest format that v1 and v2 both read, and the
// one that geth writes with v2.
const formatFlushableIngest = 13

func doubling(first int64) (sizes [7]int64) {
	for i := range sizes {
		sizes[i] = first << i
	}
	return sizes
}
