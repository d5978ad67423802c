package pebbledb

import "getio/engine/filelimit"

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// presets maps names to configurations. Each sets every option, so that a changed default
// of a library cannot silently change a preset. The tests compare "pebble" with the
// libraries' own defaults.
var presets = map[string]func() *Config{
	"bench_kvdb": benchKVDB,
	"geth":       geth,
	"geth-v1":    gethV1,
	"pebble":     libraryDefaults,
}

// libraryDefaults returns the defaults of pebble.Options.EnsureDefaults. v1 and v2 have
// the same ones for all fields of Config.
func libraryDefaults() *Config {
	c := options.Defaults()
	c.ReadSampling = true
	c.L0Concurrency = 10
	c.DebtConcurrency = 1 * gib
	return c
}

// benchKVDB returns the configuration of the published study: geth's at that time, with a
// Bloom filter of 10 bits per key on every level. Its cache for loading has 512 MiB, half
// of it for two memtables.
func benchKVDB() *Config {
	c := libraryDefaults()
	c.BloomBits = [7]int{10, 10, 10, 10, 10, 10, 10}
	c.MaxOpenFiles = filelimit.ForDatabase()
	c.MemTableSize = 128 * mib
	c.ReadSampling = false
	c.LoadCacheBytes = 512 * mib
	return c
}

// geth returns go-ethereum 1.17.10's Pebble v2 configuration (ethdb/pebble/pebble.go) for
// its default database cache of 2 GiB, an eighth of which is the memtable size. It sets no
// filter policy for L6, and v2 then uses that of the level above (Pebble: options.go,
// EnsureL1PlusDefaults). So tables of L6 have filters, but Gets never consult them.
func geth() *Config {
	c := gethV1()
	c.BloomBits[6] = 10
	c.Format = formatFlushableIngest
	return c
}

// gethV1 returns go-ethereum 1.17.10's configuration for databases that Pebble v1 wrote
// (ethdb/pebble/pebble_v1.go). It does not upgrade their format.
func gethV1() *Config {
	c := libraryDefaults()
	c.BloomBits = [7]int{10, 10, 10, 10, 10, 10, 0}
	c.TargetFileSize = [7]int64{16 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib, 64 * mib, 128 * mib}
	c.MaxOpenFiles = filelimit.ForDatabase()
	c.MemTableSize = 256 * mib
	c.MemTableStopWrites = 8
	c.L0CompactionThreshold = 2
	c.ReadSampling = false
	c.L0Concurrency = 1
	c.DebtConcurrency = 256 * mib
	c.LoadCacheBytes = 2 * gib
	return c
}

// formatFlushableIngest is the newest format that both v1 and v2 read. geth writes it with v2.
const formatFlushableIngest = 13
