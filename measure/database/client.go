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

// Client describes the program that a database belongs to, as far as the database says it. Sizes of block caches include
// the bytes that a read-only open reserves.
type Client struct {
	// Store is how geth divides its store's memory; nil unless geth or a fork of it wrote the database.
	Store *geth.Store
	// StoreBytes is the memory of the store when the program last opened it, and Present the block cache with as many bytes
	// for blocks; 0 if not known.
	StoreBytes, Present int64
	OpenFiles           int64 // limit of the program; 0 if the database does not say
	Floor, Reserved     int64 // bytes of the smallest cache, and of each cache that are not for blocks
}

// Client describes the database's program. For a dataset of getio, it has the bounds of the cache alone.
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

// lastOpened reads the program's cache and its limit of open files from the database's options file.
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

// Run sets the memory of the running client's store, unless the database says it.
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

// Most returns the largest block cache that the client accepts on a machine with the given memory; 0 if either is not known.
func (c *Client) Most(memory int64) int64 {
	if c.Store == nil || memory == 0 {
		return 0
	}
	return max(c.Reserved+c.Store.CacheBytes(geth.MostCacheMiB(memory)), c.Least())
}

// Times returns a cache with factor times as many bytes for blocks.
func (c *Client) Times(bytes int64, factor float64) int64 {
	if c.Store == nil {
		return int64(factor * float64(bytes))
	}
	return c.Reserved + int64(factor*float64(bytes-c.Reserved))
}

// Settable rounds a cache up to one that the client's flag can set.
func (c *Client) Settable(bytes int64) int64 {
	if c.Store == nil || bytes == c.Present {
		return bytes
	}
	return c.Reserved + c.Store.BlockBytes(c.Store.MiB(bytes-c.Reserved)<<20)
}

// Flags returns the client's flags for a block cache on a machine with the given memory; 0 if that is not known.
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

// GethCacheMiB returns the --cache with which geth has as many bytes for blocks; 0 if the database is not geth's.
func (d *Database) GethCacheMiB(bytes, reserved int64) int64 {
	c, err := d.Client()
	if err != nil {
		return 0
	}
	f, _ := c.Flags(bytes-reserved+c.Reserved, 0)
	return f.Cache
}

// SweepBytes returns the cache sizes of a sweep in ascending order: the given ones, or the default ones that fit. The default
// ones include the client's present cache, half of it, twice of it, and the largest that the client accepts on this machine.
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

// around returns the sizes that the client's present cache adds to a sweep; tables is their size in bytes.
func (c *Client) around(tables int64) (sizes []int64) {
	if c.Present > 0 {
		sizes = append(sizes, c.Times(c.Present, 0.5), c.Present, c.Times(c.Present, 2))
	}
	if most := c.Most(machine.Memory()); most > 0 && most < tables {
		sizes = append(sizes, most)
	}
	return slices.DeleteFunc(sizes, func(n int64) bool { return n < max(c.Floor, c.Least()) })
}
