package database

import (
	"slices"
	"strconv"
	"strings"

	"getio/client/chaindata"
	"getio/client/geth"
	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/pebble/pebbledb"
	"getio/system/machine"
)

// Client is what a database says of the program that it belongs to. Sizes of block caches are as getio takes them: with
// the bytes that a read-only open reserves.
type Client struct {
	// Store is how geth divides its store's memory; nil unless geth or a fork of it wrote the database.
	Store *geth.Store
	// StoreBytes is the memory of the store when the program last opened it, and Present the block cache that has as much
	// for blocks; 0 if the database does not say.
	StoreBytes, Present int64
	OpenFiles           int64 // limit of the program; 0 if the database does not say
	Floor, Reserved     int64 // bytes of the smallest cache, and of each cache that are not for blocks
}

// Client returns what the database says of its program; no more than the cache's bounds for a dataset of getio.
func (d *Database) Client() (*Client, error) {
	if d.client != nil {
		return d.client, nil
	}
	info := d.Info()
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: info.MinCacheBytes, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	c := &Client{Floor: info.MinCacheBytes, Reserved: db.Cache().Reserved + db.Cache().Pinned}
	if d.Manifest == nil {
		isGeth, err := chaindata.Recognise(db)
		if err != nil {
			return nil, err
		}
		c.lastOpened(d, info, isGeth)
	}
	d.client = c
	return c, nil
}

// lastOpened takes the program's cache and the number of its open files from the database's own options file.
func (c *Client) lastOpened(d *Database, info engine.Info, isGeth bool) {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(info.OptionsFile["Options."+name], 10, 64)
		return n
	}
	store, memtable := number("cache_size"), number("mem_table_size")
	c.OpenFiles = number("max_open_files")
	if isGeth {
		s := geth.StoreOf(info.Engine)
		if store > 0 && memtable > 0 {
			s.Share = min(float64(pebbledb.RunningMemtables*memtable)/float64(store), 1)
		}
		if d.Live() && strings.HasPrefix(info.Engine, "pebble") && pebbledb.FirstMemtable(d.Dir) {
			s.Small = pebbledb.ReopenedMemtables(d.pebbleVersion())
		}
		c.Store = &s
	}
	memtables := pebbledb.RunningMemtables * memtable
	if d.Live() {
		memtables = pebbledb.RunningMemtableBytes(d.Dir, d.pebbleVersion(), memtable)
	}
	if present := c.Reserved + store - memtables; present >= c.Floor && store > 0 {
		c.StoreBytes, c.Present = store, present
	}
}

// Run says how much memory the client that runs gives its store, if the database does not say it.
func (c *Client) Run(store int64) {
	if c.Store != nil && c.Present == 0 {
		c.StoreBytes, c.Present = store, c.Reserved+c.Store.BlockBytes(store)
	}
}

// pebbleVersion is the version of the library, if it is Pebble.
func (d *Database) pebbleVersion() int {
	if d.Store.Info().Engine == "pebblev1" {
		return 1
	}
	return 2
}

// Least returns the smallest block cache that the client can be set to; 0 if the client is not known.
func (c *Client) Least() int64 {
	if c.Store == nil {
		return 0
	}
	return c.Reserved + c.Store.LeastBytes()
}

// Most returns the largest block cache that the client leaves as it is on a machine with so much memory; 0 if either is
// not known.
func (c *Client) Most(memory int64) int64 {
	if c.Store == nil || memory == 0 {
		return 0
	}
	return max(c.Reserved+c.Store.CacheBytes(geth.MostCacheMiB(memory)), c.Least())
}

// Times returns a cache for blocks that is larger by a factor, as the client's flag makes it.
func (c *Client) Times(bytes int64, factor float64) int64 {
	if c.Store == nil {
		return int64(factor * float64(bytes))
	}
	return c.Reserved + int64(factor*float64(bytes-c.Reserved))
}

// Settable returns the smallest cache of at least so many bytes that the client can be set to; as many bytes if the client
// is not known.
func (c *Client) Settable(bytes int64) int64 {
	if c.Store == nil || bytes == c.Present {
		return bytes
	}
	return c.Reserved + c.Store.BlockBytes(c.Store.MiB(bytes-c.Reserved)<<20)
}

// Flags returns the client's flags for a block cache, on a machine with so much memory, or 0 if that is not known.
func (c *Client) Flags(bytes, memory int64) (f geth.Flags, possible bool) {
	switch {
	case c.Store == nil || bytes < c.Least():
		return f, false
	case bytes == c.Present:
		return geth.FlagsOf(c.StoreBytes>>20, memory)
	}
	return geth.FlagsOf(c.Store.MiB(bytes-c.Reserved), memory)
}

// CacheBytes returns a cache size in bytes for a tree. A number without a unit is the client's flag.
func (c *Client) CacheBytes(size lsm.CacheSize, s *lsm.Shape) (int64, error) {
	if flag := size.ClientFlag(); flag > 0 && c.Store != nil {
		return c.Reserved + c.Store.CacheBytes(flag), nil
	}
	return size.Bytes(s)
}

// CacheBytes returns a cache size in bytes.
func (d *Database) CacheBytes(size lsm.CacheSize) (int64, error) {
	if size.ClientFlag() == 0 {
		return size.Bytes(d.Store.Shape())
	}
	c, err := d.Client()
	if err != nil {
		return 0, err
	}
	return c.CacheBytes(size, d.Store.Shape())
}

// GethCacheMiB returns the --cache that gives geth as much for blocks as a cache has beside its reserved bytes; 0 if the
// database is not one of geth.
func (d *Database) GethCacheMiB(bytes, reserved int64) int64 {
	c, err := d.Client()
	if err != nil {
		return 0
	}
	f, _ := c.Flags(bytes-reserved+c.Reserved, 0)
	return f.Cache
}

// SweepBytes returns the cache sizes of a sweep, ascending: those given, or the default ones that fit, with the present
// cache of the client, half and twice of it, and the most that the client takes on this machine, if the database has use
// for so much.
func (d *Database) SweepBytes(sizes []lsm.CacheSize, fits func(bytes int64) error) ([]int64, error) {
	if len(sizes) == 0 {
		c, err := d.Client()
		if err != nil {
			return nil, err
		}
		return lsm.DefaultSweepBytes(d.Store.Shape(), c.Floor, c.Least(), c.around(d.Store.Shape().Total().Bytes), fits)
	}
	return lsm.CacheBytes(sizes, d.CacheBytes, fits)
}

// around returns the sizes that the client's cache adds to a sweep of tables of so many bytes.
func (c *Client) around(tables int64) (sizes []int64) {
	if c.Present > 0 {
		sizes = append(sizes, c.Times(c.Present, 0.5), c.Present, c.Times(c.Present, 2))
	}
	if most := c.Most(machine.Memory()); most > 0 && most < tables {
		sizes = append(sizes, most)
	}
	return slices.DeleteFunc(sizes, func(n int64) bool { return n < max(c.Floor, c.Least()) })
}
