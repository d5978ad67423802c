package pebblev2

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine"
	"getio/engine/pebbledb"
	"getio/engine/sstfile"
	"getio/lsm"
)

// store is a database at rest.
type store struct {
	dir     string
	cfg     *pebbledb.Config
	info    engine.Info
	catalog *sstfile.Catalog
	reserve pebbledb.Reserve
}

// OpenStore implements engine.Engine.
func (e pebbleV2) OpenStore(ctx context.Context, dir string, cfg engine.Config) (engine.Store, error) {
	c, err := config(cfg)
	if err != nil {
		return nil, err
	}
	d, err := e.directory(dir)
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir, cfg: c}
	if s.info, err = d.Info(library.Name, e.Version()); err != nil {
		return nil, err
	}
	refs, err := s.listTables()
	if err != nil {
		return nil, err
	}
	if s.catalog, err = sstfile.ReadCatalog(ctx, refs); err != nil {
		return nil, err
	}
	s.info.CacheFloor = c.CacheFloor()
	s.info.TableFormats = s.catalog.TableFormats()
	return s, nil
}

func (s *store) Info() engine.Info { return s.info }
func (s *store) Shape() *lsm.Shape { return s.catalog.Shape() }
func (s *store) Close() error      { return nil }

func (s *store) Properties() [lsm.NumLevels]engine.LevelProperties {
	return s.catalog.LevelProperties()
}

func (s *store) Sampler() (engine.Sampler, error) { return sstfile.NewSampler(s.catalog) }

// listTables opens the database once, read-only, to learn which tables it is
// made of and what its write-ahead log holds.
func (s *store) listTables() ([]sstfile.Ref, error) {
	log := pebbledb.NewReadLogger()
	cache := pebble.NewCache(s.cfg.ReservedBytes())
	defer cache.Unref()
	db, err := s.open(cache, &readFS{FS: vfs.Default}, log)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	s.info.WALKeys = log.ReplayedKeys()
	m := db.Metrics()
	s.reserve = pebbledb.NewReserve(s.cfg, m.MemTable.Size, m.MemTable.ZombieSize)
	s.info.ReplayReserved = s.reserve.Excess
	levels, err := db.SSTables()
	if err != nil {
		return nil, fmt.Errorf("%s: its tables cannot be listed: %w", s.dir, err)
	}
	var refs []sstfile.Ref
	for level, tables := range levels {
		for _, t := range tables {
			refs = append(refs, sstfile.Ref{
				Level:            level,
				File:             uint64(t.BackingSSTNum),
				Path:             filepath.Join(s.dir, fmt.Sprintf("%06d.sst", uint64(t.BackingSSTNum))),
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
	return refs, nil
}

func (s *store) open(cache *pebble.Cache, fs *readFS, log *pebbledb.Logger) (db *pebble.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = pebbledb.OpenError(s.dir, fmt.Errorf("the library gave up: %v", p))
		}
	}()
	if db, err = pebble.Open(s.dir, readOptions(s.cfg, cache, fs, log)); err != nil {
		return nil, pebbledb.OpenError(s.dir, err)
	}
	return db, nil
}

// Open implements engine.Store.
func (s *store) Open(cfg engine.OpenConfig) (engine.DB, error) {
	if err := s.cfg.CheckCache(cfg.CacheBytes); err != nil {
		return nil, err
	}
	var cache *pebble.Cache
	shards, err := pebbledb.WithShards(cfg, func() { cache = pebble.NewCache(s.reserve.LibraryBytes(cfg.CacheBytes)) })
	if err != nil {
		return nil, err
	}
	defer cache.Unref() // the database holds its own reference
	fs := &readFS{FS: vfs.Default, counter: &sstfile.Counter{}, catalog: s.catalog}
	pdb, err := s.open(cache, fs, pebbledb.NewReadLogger())
	if err != nil {
		return nil, err
	}
	if s.reserve.Missing > 0 {
		cache.Reserve(int(s.reserve.Missing))
	}
	return &db{
		pebble:      pdb,
		counter:     fs.counter,
		singleLevel: s.catalog.SingleLevel(),
		cache:       engine.Cache{Bytes: cfg.CacheBytes, Shards: shards, Reserved: s.cfg.ReservedBytes()},
	}, nil
}
