package goleveldb

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/failure"
	"getio/engine/filelimit"
	"getio/engine/goleveldb/ldbfile"
	"getio/engine/lsm"
	"getio/engine/ondisk"
	"getio/system/filelock"
)

// store is a database opened for inspection.
type store struct {
	dir     *directory
	cfg     *config
	info    engine.Info
	catalog *ldbfile.Catalog
	log     catalog.Log
	lock    io.Closer // shared, so that the tree does not change
}

// OpenStore implements engine.Engine. No process can open the database for writing until the
// Store is closed.
func (e goLevelDB) OpenStore(ctx context.Context, dir string, cfg engine.Config) (engine.Store, error) {
	c, err := configs.Of(cfg)
	if err != nil {
		return nil, err
	}
	lock, err := filelock.ForReading(filepath.Join(dir, filelock.Name))
	if err != nil {
		return nil, err
	}
	s := &store{cfg: c, lock: lock}
	if err := s.inspect(ctx, dir); err != nil {
		lock.Close()
		return nil, err
	}
	s.info.Version = e.Version()
	return s, nil
}

func (s *store) inspect(ctx context.Context, dir string) (err error) {
	if s.dir, err = readDirectory(dir); err != nil {
		return err
	}
	tree, err := ldbfile.ReadManifest(filepath.Join(dir, s.dir.manifest.String()))
	if err != nil {
		return failure.Inspect(dir, err)
	}
	for i := range tree.Tables {
		if err := s.dir.place(&tree.Tables[i]); err != nil {
			return failure.Inspect(dir, err)
		}
	}
	if err := filelimit.Require(s.cfg.maxOpenFiles, len(tree.Tables)); err != nil {
		return err
	}
	if s.catalog, err = ldbfile.ReadCatalog(ctx, tree.Tables, s.cfg.filters()); err != nil {
		return failure.Inspect(dir, err)
	}
	s.info = engine.Info{Dir: dir, Engine: name, Comparer: tree.Comparer, TableFormats: s.catalog.TableFormats(), ReadAs: s.readAs()}
	if s.info.NewerTables, err = ondisk.NewerTables(dir, s.catalog.Paths()); err != nil {
		return err
	}
	return s.readLogs(tree)
}

// readAs says as which client the database is read, and what its filters say of that. It is empty if they are those
// that goleveldb writes.
func (s *store) readAs() string {
	var found []string
	policies, own := ldbfile.Policies(s.catalog), s.cfg.filters()
	for _, policy := range slices.Sorted(maps.Keys(policies)) {
		found = append(found, fmt.Sprintf("%s in %d tables", policy, policies[policy]))
	}
	filters := "its tables have no filters, whose name would tell"
	switch {
	case s.cfg.client == clientGo && len(policies) == 1 && policies[own] > 0:
		return ""
	case len(found) > 0:
		filters = "filters: " + strings.Join(found, ", ")
	}
	if s.cfg.client == clientOriginal {
		return fmt.Sprintf("LevelDB in C++ (%s): open tables hold indexes and filters outside the cache, and it consults only filters of %s; --option client=%s reads as goleveldb", filters, own, clientGo)
	}
	return fmt.Sprintf("goleveldb (%s), which consults only filters of %s; --option client=%s reads as LevelDB in C++", filters, own, clientOriginal)
}

// place sets the path of a table's file, which must be there and have the table's size. Like the libraries that check
// this themselves, it does so before any table is read.
func (d *directory) place(ref *catalog.Ref) error {
	file := d.tables[int64(ref.File)]
	if file == "" {
		return fmt.Errorf("table %06d of L%d is missing", ref.File, ref.Level)
	}
	ref.Path = filepath.Join(d.path, file)
	fi, err := os.Stat(ref.Path)
	if err != nil {
		return err
	}
	return ref.CheckSize(fi)
}

// readLogs reads what a read-only open replays (leveldb/db.go, recoverJournalRO) and drops
// all other log files.
func (s *store) readLogs(tree *ldbfile.Manifest) error {
	var replayed []storage.FileDesc
	s.log = catalog.Log{}
	for _, fd := range s.dir.logs {
		if number := uint64(fd.Num); number < tree.Log && number != tree.PreviousLog {
			continue
		}
		path := filepath.Join(s.dir.path, fd.String())
		keys, err := ldbfile.ReadLog(path, s.log)
		if err != nil {
			return failure.Inspect(s.dir.path, err)
		}
		fi, err := os.Stat(path)
		if err != nil {
			return failure.Inspect(s.dir.path, err)
		}
		s.info.WALKeys += keys
		s.info.WALBytes += fi.Size()
		replayed = append(replayed, fd)
	}
	s.dir.logs = replayed
	return nil
}

func (s *store) Info() engine.Info                { return s.info }
func (s *store) Shape() *lsm.Shape                { return s.catalog.Shape() }
func (s *store) Sampler() (engine.Sampler, error) { return s.catalog.Sampler(s.log) }
func (s *store) TreeSampler() engine.TreeSampler  { return s.catalog }
func (s *store) Close() error                     { return s.lock.Close() }

// Properties implements engine.Store. LevelDB's tables have none.
func (s *store) Properties() (levels [lsm.NumLevels]engine.LevelProperties, known bool) {
	return levels, false
}

// CacheCharge implements engine.Store. The cache charges the capacity of the block's buffer,
// which has one of five sizes (leveldb/util/buffer_pool.go, NewBufferPool; leveldb/table.go,
// newTableOps). A larger block is charged its size here, though it may lie in a larger
// buffer of an earlier block. The cache of LevelDB in C++ charges a block its own size.
func (s *store) CacheCharge(block int64) int64 {
	if s.cfg.client == clientOriginal {
		return block
	}
	base := s.cfg.blockSize + 5
	for _, size := range []int64{base / 4, base / 2, base, 2 * base, 4 * base} {
		if block <= size {
			return size
		}
	}
	return block
}
