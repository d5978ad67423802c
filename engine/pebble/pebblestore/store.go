// Package pebblestore implements engine.Store, a database whose shape is known and which can be
// opened, for both Pebble engines. The few calls in which the libraries differ are in library.go of either engine.
package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/failure"
	"getio/engine/filelimit"
	"getio/engine/lsm"
	"getio/engine/ondisk"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/sstfile"
	"getio/engine/virtual"
	"getio/system/device"
	"getio/system/filelock"
)

// Library is the part of a Store that depends on the version of Pebble. List and OpenDB
// open the database read-only.
type Library interface {
	Name() string
	Version() string
	// BlockOverhead is the cache memory per block besides the block itself, in bytes.
	BlockOverhead() int64
	// List opens the database, lists its tables and closes it.
	List(dir string, cfg *pebbledb.Config) (*Listing, error)
	// OpenDB opens the database for measuring.
	OpenDB(dir string, cfg *pebbledb.Config, tree Tree, o engine.OpenConfig) (engine.DB, error)
}

// Listing is what List finds in a database.
type Listing struct {
	Tables  []catalog.Ref
	Log     []pebbledb.ReplayedLog
	Reserve pebbledb.Reserve
	Lookups engine.Lookups // of the database that listed them
}

// Tree is what a Store knows of an inspected database.
type Tree struct {
	Reserve pebbledb.Reserve
	Catalog *sstfile.Catalog // classifies reads
	Virtual *virtual.Tables  // nil if the tables are real
}

// Store is an idle database.
type Store struct {
	library Library
	cfg     *pebbledb.Config
	info    engine.Info
	tree    Tree
	log     []pebbledb.ReplayedLog
	lookups engine.Lookups // nil if the tables are virtual
	lock    io.Closer      // shared, so that the tree cannot change
}

var _ engine.Store = (*Store)(nil)

// Open inspects the database in the directory. Until the Store is closed, no process can
// open the database for writing.
func Open(ctx context.Context, l Library, d *pebbledb.Directory, cfg *pebbledb.Config) (engine.Store, error) {
	lock, err := filelock.ForReading(filepath.Join(d.Path, "LOCK"))
	if err != nil {
		return nil, err
	}
	own := *cfg
	own.Logs = d.Logs.Present()
	s := &Store{library: l, cfg: &own, lock: lock}
	if err := s.inspect(ctx, d); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) inspect(ctx context.Context, d *pebbledb.Directory) (err error) {
	l, cfg := s.library, s.cfg
	if s.info, err = d.Info(l.Name(), l.Version()); err != nil {
		return err
	}
	if virtual.IsVirtual(d.Path) {
		if s.tree.Virtual, err = virtual.Open(d.Path, filelimit.ForVirtual()); err != nil {
			return err
		}
		s.info.Virtual = true
	}
	listing, err := l.List(d.Path, cfg)
	if err != nil {
		return err
	}
	if s.tree.Virtual != nil { // the library alone cannot read them
		if err := listing.Lookups.Close(); err != nil {
			return err
		}
	} else { // virtual tables do not need one open file each
		s.lookups = listing.Lookups
		if err := filelimit.Require(cfg.MaxOpenFiles, len(listing.Tables)); err != nil {
			return err
		}
	}
	if s.tree.Catalog, err = sstfile.ReadCatalog(ctx, listing.Tables, s.opener()); err != nil {
		return failure.Inspect(d.Path, err)
	}
	if s.info.NewerTables, err = ondisk.NewerTables(d.Path, s.tree.Catalog.Paths()); err != nil {
		return err
	}
	if s.info.ManifestTorn, err = ondisk.ManifestTorn(filepath.Join(d.Path, d.Manifest)); err != nil {
		return failure.Inspect(d.Path, err)
	}
	s.tree.Reserve = listing.Reserve
	s.log = listing.Log
	for _, r := range s.log {
		s.info.WALKeys += r.Records
	}
	s.info.MinCacheBytes = cfg.CacheFloor()
	s.info.TableFormats = s.tree.Catalog.TableFormats()
	return nil
}

// opener returns the function that opens tables for inspection.
func (s *Store) opener() sstfile.Open {
	if s.tree.Virtual == nil {
		return nil
	}
	return func(ref catalog.Ref) (catalog.File, int64, error) {
		t, err := s.tree.Virtual.Table(ref.Path, ref.File)
		if err != nil {
			return nil, 0, err
		}
		return virtual.File{Table: t}, t.Size(), nil
	}
}

func (s *Store) Open(cfg engine.OpenConfig) (engine.DB, error) {
	if err := s.cfg.CheckCache(cfg.CacheBytes); err != nil {
		return nil, err
	}
	if s.tree.Virtual != nil && cfg.Device.PageCache() != device.Keep {
		return nil, fmt.Errorf("%s is virtual: its data blocks are made when they are read, so there is no device to measure; leave out --page-cache, or use a dataset with real tables", s.info.Dir)
	}
	if err := cfg.Device.Prepare(s.tree.Catalog.Paths()); err != nil {
		return nil, err
	}
	return s.library.OpenDB(s.info.Dir, s.cfg, s.tree, cfg)
}

// Lookups returns those of the database that listed the tables; nil if these are virtual.
func (s *Store) Lookups() engine.Lookups         { return s.lookups }
func (s *Store) Info() engine.Info               { return s.info }
func (s *Store) Shape() *lsm.Shape               { return s.tree.Catalog.Shape() }
func (s *Store) TreeSampler() engine.TreeSampler { return s.tree.Catalog }

func (s *Store) Properties() (levels [lsm.NumLevels]engine.LevelProperties, known bool) {
	return s.tree.Catalog.LevelProperties(), true
}

func (s *Store) CacheCharge(block int64) int64 { return block + s.library.BlockOverhead() }

func (s *Store) Sampler() (engine.Sampler, error) {
	log, err := readLog(s.info.Dir, s.cfg.Logs, s.log)
	if err != nil {
		return nil, err
	}
	return s.tree.Catalog.Sampler(log)
}

func (s *Store) Close() error {
	var err error
	if s.lookups != nil {
		err = s.lookups.Close()
	}
	if s.tree.Virtual != nil {
		err = errors.Join(err, s.tree.Virtual.Close())
	}
	return errors.Join(err, s.lock.Close())
}

// OpenForReading opens a database with the library's open. If the library panics because the
// database is damaged, it returns an error.
func OpenForReading[DB, Options any](open func(string, Options) (DB, error), dir string, options Options) (db DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure.Open("Pebble", dir, fmt.Errorf("the library gave up: %v", p))
		}
	}()
	if db, err = open(dir, options); err != nil {
		return db, failure.Open("Pebble", dir, err)
	}
	return db, nil
}
