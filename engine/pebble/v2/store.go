package pebblev2

import (
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/failure"
	"getio/engine/lsm"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/pebblestore"
	"getio/engine/region"
	"getio/engine/virtual"
	"getio/workload"
)

type pebbleEngine struct{ *pebbledb.Library }

// Engine measures the Pebble version of this package.
var Engine engine.Engine = pebbleEngine{library}

func (e pebbleEngine) Recognise(dir string, _ ...string) (engine.Recognised, error) {
	d, err := e.directory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	return engine.Recognised{Format: d.Format}, nil
}

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

func (pebbleEngine) List(dir string, cfg *pebbledb.Config) (*pebblestore.Listing, error) {
	log := pebbledb.NewReadLogger()
	cache := pebble.NewCache(cfg.ReservedBytes() + engine.LookupsCacheBytes)
	defer cache.Unref()
	options := readOptions(cfg, cache, &readFS{FS: vfs.Default}, log)
	options.MaxOpenFiles = min(options.MaxOpenFiles, engine.AuxiliaryOpenFiles)
	pdb, err := pebblestore.OpenForReading(pebble.Open, dir, options)
	if err != nil {
		return nil, err
	}
	levels, err := pdb.SSTables()
	if err != nil {
		return nil, errors.Join(failure.Inspect(dir, err), pdb.Close())
	}
	m := pdb.Metrics()
	listing := &pebblestore.Listing{
		Log:     log.Replayed(),
		Reserve: pebbledb.NewReserve(cfg, m.MemTable.Size, m.MemTable.ZombieSize),
		Lookups: &db{dir: dir, pebble: pdb},
	}
	for level, tables := range levels {
		for _, t := range tables {
			listing.Tables = append(listing.Tables, catalog.Ref{
				Level: level, File: uint64(t.BackingSSTNum), Path: pebbledb.TablePath(dir, uint64(t.BackingSSTNum)),
				Size: int64(t.Size), Virtual: t.Virtual,
				Smallest: lsm.Key(t.Smallest.UserKey), SmallestSeq: uint64(t.SmallestSeqNum),
				Largest: lsm.Key(t.Largest.UserKey), LargestSeq: uint64(t.LargestSeqNum),
				LargestExclusive: t.Largest.IsExclusiveSentinel(),
			})
		}
	}
	return listing, nil
}

func (pebbleEngine) OpenDB(dir string, cfg *pebbledb.Config, tree pebblestore.Tree, o engine.OpenConfig) (engine.DB, error) {
	var cache *pebble.Cache
	shards, err := pebbledb.WithShards(o, func() { cache = pebble.NewCache(tree.Reserve.LibraryBytes(o.CacheBytes)) })
	if err != nil {
		return nil, err
	}
	defer cache.Unref() // the database holds its own reference
	counter := &region.Counter{Trace: o.Trace, CachesProperties: cachesProperties}
	counted := &tables{
		Counter: counter, Regions: tree.Catalog.TableRegions, Device: o.Device,
		Virtual: tree.Virtual, VirtualFile: func(f virtual.File) file { return virtualFile{f} },
	}
	options := readOptions(cfg, cache, &readFS{FS: vfs.Default, tables: counted}, pebbledb.NewReadLogger())
	if o.NoFilters {
		options.Filters = nil
	}
	if o.MaxOpenFiles > 0 {
		options.MaxOpenFiles = min(options.MaxOpenFiles, o.MaxOpenFiles)
	}
	if o.LastLevelFilters || o.Operation == workload.Multiget {
		seekWholeKeys(options)
	}
	pdb, err := pebblestore.OpenForReading(pebble.Open, dir, options)
	if err != nil {
		return nil, err
	}
	reserved := cfg.MemtableBytes(o)
	if more := tree.Reserve.Missing + reserved - cfg.ReservedBytes(); more > 0 {
		cache.Reserve(int(more))
	}
	return &db{
		dir: dir, pebble: pdb, counter: counter,
		catalog: tree.Catalog, singleLevel: tree.Catalog.SingleLevel(),
		cache: engine.Cache{Bytes: o.CacheBytes, Shards: shards, Reserved: reserved},
		seek:  o.LastLevelFilters,
	}, nil
}
