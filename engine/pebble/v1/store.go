// Code generated from v2/store.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/vfs"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/failure"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/pebblestore"
	"getio/engine/region"
	"getio/tree/lsm"
)

// OpenStore implements engine.Engine.
func (e pebbleEngine) OpenStore(ctx context.Context, dir string, cfg engine.Config) (engine.Store, error) {
	c, err := e.Config(cfg)
	if err != nil {
		return nil, err
	}
	d, err := e.directory(dir)
	if err != nil {
		return nil, err
	}
	return pebblestore.Open(ctx, e, d, c)
}

// List implements pebblestore.Library.
func (pebbleEngine) List(dir string, cfg *pebbledb.Config) (*pebblestore.Listing, error) {
	log := pebbledb.NewReadLogger()
	cache := pebble.NewCache(cfg.ReservedBytes())
	defer cache.Unref()
	db, err := openForReading(dir, readOptions(cfg, cache, &readFS{FS: vfs.Default}, log))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	levels, err := db.SSTables()
	if err != nil {
		return nil, failure.Inspect(dir, err)
	}
	m := db.Metrics()
	listing := &pebblestore.Listing{
		WALKeys: log.ReplayedKeys(),
		Reserve: pebbledb.NewReserve(cfg, m.MemTable.Size, m.MemTable.ZombieSize),
	}
	for level, tables := range levels {
		for _, t := range tables {
			listing.Tables = append(listing.Tables, catalog.Ref{
				Level:            level,
				File:             uint64(t.BackingSSTNum),
				Path:             filepath.Join(dir, fmt.Sprintf("%06d.sst", uint64(t.BackingSSTNum))),
				Size:             int64(t.Size),
				Virtual:          t.Virtual,
				Smallest:         lsm.Key(t.Smallest.UserKey),
				Largest:          lsm.Key(t.Largest.UserKey),
				LargestExclusive: t.Largest.IsExclusiveSentinel(),
				SmallestSeq:      uint64(t.SmallestSeqNum),
				LargestSeq:       uint64(t.LargestSeqNum),
			})
		}
	}
	return listing, nil
}

// OpenDB implements pebblestore.Library.
func (pebbleEngine) OpenDB(dir string, cfg *pebbledb.Config, o pebblestore.Opening) (engine.DB, error) {
	var cache *pebble.Cache
	shards, err := pebbledb.WithShards(o.OpenConfig, func() { cache = pebble.NewCache(o.Reserve.LibraryBytes(o.CacheBytes)) })
	if err != nil {
		return nil, err
	}
	defer cache.Unref() // the database holds its own reference
	counted := &tables{
		counter: &region.Counter{Trace: o.Trace, CachesProperties: cachesProperties},
		regions: o.Catalog.TableRegions, virtual: o.Virtual, device: o.Device,
	}
	options := readOptions(cfg, cache, &readFS{FS: vfs.Default, tables: counted}, pebbledb.NewReadLogger())
	if o.NoFilters {
		options.Filters = nil
	}
	if o.MaxOpenFiles > 0 {
		options.MaxOpenFiles = min(options.MaxOpenFiles, o.MaxOpenFiles)
	}
	if o.LastLevelFilters || o.Operation == engine.OperationMultiget {
		seekWholeKeys(options)
	}
	pdb, err := openForReading(dir, options)
	if err != nil {
		return nil, err
	}
	if o.Reserve.Missing > 0 {
		cache.Reserve(int(o.Reserve.Missing))
	}
	return &db{
		dir:         dir,
		pebble:      pdb,
		counter:     counted.counter,
		catalog:     o.Catalog,
		singleLevel: o.Catalog.SingleLevel(),
		cache:       engine.Cache{Bytes: o.CacheBytes, Shards: shards, Reserved: cfg.ReservedBytes()},
		seek:        o.LastLevelFilters,
	}, nil
}

// openForReading opens the database. If the library panics because the database is
// damaged, it returns an error.
func openForReading(dir string, o *pebble.Options) (db *pebble.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure.Open("Pebble", dir, fmt.Errorf("the library gave up: %v", p))
		}
	}()
	if db, err = pebble.Open(dir, o); err != nil {
		return nil, failure.Open("Pebble", dir, err)
	}
	return db, nil
}
