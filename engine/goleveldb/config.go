package goleveldb

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"getio/engine/filelimit"
	"getio/engine/goleveldb/ldbfile"
	"getio/engine/option"
)

// config holds the options that decide the tree's shape and what reading it costs.
type config struct {
	blockSize            int64 // target size of an uncompressed data block
	blockRestartInterval int
	bloomBits            int // bits per key; 0 writes no filter
	compression          string
	memTableSize         int64 // the library's write buffer; it has two
	tableSize            int64
	l1MaxBytes           int64 // L1 is compacted at this size
	levelMultiplier      int   // of l1MaxBytes, from level to level
	l0CompactionTrigger  int   // tables
	l0SlowdownTrigger    int   // tables at which writes are delayed
	l0PauseTrigger       int   // tables at which writes wait
	maxOpenFiles         int
	loadCacheBytes       int64 // block cache while loading
	seekCompactions      bool  // compactions triggered by reads
	client               string
}

// Clients as which a database is read.
const (
	clientGo       = "goleveldb"
	clientOriginal = "leveldb" // LevelDB in C++, of Bitcoin Core, Node.js and Chromium
)

// filters returns the name of the filters that the client consults.
func (c *config) filters() string {
	if c.client == clientOriginal {
		return ldbfile.OriginalFilters
	}
	return ldbfile.GoFilters
}

// shards is the number of shards of the client's block cache.
func (c *config) shards() int {
	if c.client == clientOriginal {
		return shardsOfOriginal
	}
	return 1
}

// requireWriter returns an error if the database is to be written as another client than getio is.
func (c *config) requireWriter() error {
	if c.client != clientGo {
		return fmt.Errorf("option client: %s writes with its own filters, and reads as %s only what nobody writes: leave the option out", name, c.client)
	}
	return nil
}

const (
	mib = 1 << 20
	gib = 1 << 30
)

// libraryDefaults returns goleveldb's own defaults. They include seek compactions, which getio does not let users set.
func libraryDefaults() *config {
	c := options.Defaults()
	c.seekCompactions = true
	return c
}

// geth returns the configuration of go-ethereum 1.17.10 (ethdb/leveldb/leveldb.go) with its
// default database cache of 2 GiB: half for blocks, a quarter for each of two memtables.
func geth() *config {
	c := libraryDefaults()
	c.bloomBits = 10
	c.memTableSize = gib / 2
	c.maxOpenFiles = filelimit.ForDatabase()
	c.loadCacheBytes = gib
	c.seekCompactions = false
	return c
}

// compressions lists what the library writes.
var compressions = []string{"snappy", "none"}

var configs = &option.Schema[config]{
	Engine: name,
	Presets: []option.Preset[config]{
		{Name: "geth-leveldb", New: geth},
		{Name: "leveldb", New: libraryDefaults},
	},
	Options:     options,
	ReadOptions: []string{"client", "max_open_files", "memtable_size"},
	Verify:      verify,
}

// options have goleveldb's own defaults (leveldb/opt/options.go). Its L1 is as large as its multiplier says
// L0 would be, which is compacted by number of tables. The bounds reject values that can only be typing errors. The
// library holds the sizes of memtables and tables in ints, and addresses a block with 32 bits.
var options = option.List[config]{
	option.Number("block_size", "4KiB", 64, 256*mib, func(c *config) any { return &c.blockSize }),
	option.Number("block_restart_interval", "16", 1, 1<<16, func(c *config) any { return &c.blockRestartInterval }),
	option.Number("bloom_bits", "0", 0, 64, func(c *config) any { return &c.bloomBits }),
	option.Word("compression", "snappy", func(c *config) any { return &c.compression }),
	option.Number("memtable_size", "4MiB", 8<<10, math.MaxUint32-1, func(c *config) any { return &c.memTableSize }),
	option.Number("table_size", "2MiB", 1<<10, 1<<40, func(c *config) any { return &c.tableSize }),
	option.Number("l1_max_bytes", "100MiB", 1<<10, 1<<50, func(c *config) any { return &c.l1MaxBytes }),
	option.Number("level_multiplier", "10", 2, 1<<10, func(c *config) any { return &c.levelMultiplier }),
	option.Number("l0_compaction_trigger", "4", 1, 1<<20, func(c *config) any { return &c.l0CompactionTrigger }),
	option.Number("l0_slowdown_trigger", "8", 1, 1<<20, func(c *config) any { return &c.l0SlowdownTrigger }),
	option.Number("l0_pause_trigger", "12", 1, 1<<20, func(c *config) any { return &c.l0PauseTrigger }),
	option.Number("max_open_files", "500", 1, 1<<30, func(c *config) any { return &c.maxOpenFiles }),
	option.Number("load_cache", "8MiB", 1*mib, 1<<40, func(c *config) any { return &c.loadCacheBytes }),
	option.Word("client", clientGo, func(c *config) any { return &c.client }),
}

func verify(c *config) error {
	switch {
	case !slices.Contains(compressions, c.compression):
		return fmt.Errorf("option compression: %s knows %s, not %q", name, strings.Join(compressions, ", "), c.compression)
	case c.client != clientGo && c.client != clientOriginal:
		return fmt.Errorf("option client: %q is not known: use %s or %s", c.client, clientGo, clientOriginal)
	case c.l0PauseTrigger < c.l0CompactionTrigger:
		return fmt.Errorf("option l0_pause_trigger: %d is below l0_compaction_trigger, %d: raise it as well", c.l0PauseTrigger, c.l0CompactionTrigger)
	}
	return nil
}
