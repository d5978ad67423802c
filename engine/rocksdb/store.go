//go:build rocksdb

package rocksdb

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/catalog"
	"getio/engine/failure"
	"getio/engine/filelimit"
	"getio/engine/lsm"
	"getio/engine/ondisk"
	"getio/engine/region"
	"getio/engine/rocksdb/rocksfile"
	"getio/system/filelock"
)

// store is a database opened for inspection.
type store struct {
	dir     *directory
	cfg     *config
	info    engine.Info
	catalog *rocksfile.Catalog
	others  map[uint64]bool // tables of other column families, by file number
	lock    io.Closer       // shared, so that the tree does not change
}

// OpenStore implements engine.Engine. No process can open the database for writing until the
// Store is closed.
func (e rocksDB) OpenStore(ctx context.Context, dir string, cfg engine.Config) (engine.Store, error) {
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
	return s, nil
}

// inspect lists the tree's tables and reads their tails.
func (s *store) inspect(ctx context.Context, dir string) (err error) {
	if s.dir, err = readDirectory(dir); err != nil {
		return err
	}
	if err := s.dir.requireSupported(s.family()); err != nil {
		return err
	}
	walBytes, err := ondisk.Bytes(s.dir.logDir, s.dir.logs)
	if err != nil {
		return err
	}
	s.info = engine.Info{Dir: dir, Engine: name, Version: libraryVersion(), WALBytes: walBytes, OptionsFile: s.written()}
	tables, blobs, filtering, err := s.readTree()
	if err != nil {
		return err
	}
	files := len(tables) + len(blobs)
	if err := filelimit.Require(openFiles(s.cfg.maxOpenFiles, files), files); err != nil {
		return err
	}
	if s.catalog, err = rocksfile.ReadCatalog(ctx, tables, blobs, filtering); err != nil {
		return failure.Inspect(dir, err)
	}
	if err := s.dir.requireFormats(s.catalog.Formats()); err != nil {
		return err
	}
	s.info.TableFormats = s.catalog.TableFormats()
	return s.examineManifest(dir)
}

// examineManifest sets the fields of info that show an outdated tree.
func (s *store) examineManifest(dir string) error {
	manifest, err := ondisk.Current(dir)
	if err != nil {
		return err
	}
	if s.info.ManifestTorn, err = ondisk.ManifestTorn(filepath.Join(dir, manifest)); err != nil {
		return failure.Inspect(dir, err)
	}
	families, err := columnFamilies(dir)
	if err != nil || len(families) > 1 { // the tables of other families may be newer
		return err
	}
	s.info.NewerTables, err = ondisk.NewerTables(dir, s.catalog.Paths())
	return err
}

// readTree lists the tables and blob files through the library, which opens few tables.
func (s *store) readTree() ([]catalog.Ref, rocksfile.Blobs, rocksfile.Filtering, error) {
	filtering := rocksfile.Filtering{None: s.cfg.filterPolicy == null, WholeKeys: s.cfg.wholeKeyFiltering, ExceptLast: s.cfg.optimizeForHits}
	l, err := s.openAll()
	if err != nil {
		return nil, nil, filtering, s.explainOpen(err)
	}
	defer l.close()
	s.info.Comparer = l.comparator()
	s.info.WALKeys, s.info.WALPrepared = l.memoryKeys(), l.preparedRecords()
	if families := l.families(); len(families) > 1 {
		s.info.Families = families
	}
	filtering.PrefixExtractor = l.prefixExtractor()
	s.info.Unlike = slices.Concat(s.dir.lost, s.dir.unlikeClient(s.family()), l.notApplied())
	if merger := s.info.OptionsFile["Options.merge_operator"]; merger != null {
		s.info.Merger = merger
	}
	var tables []catalog.Ref
	tables, s.others = l.tables()
	for _, t := range tables {
		if err := requireSize(t); err != nil {
			return nil, nil, filtering, failure.Open("RocksDB", s.dir.path, err)
		}
	}
	return tables, l.blobs(), filtering, nil
}

// requireSize compares a table's file with the MANIFEST. Since 10.5, RocksDB does that for the tables that it opens
// only.
func requireSize(t catalog.Ref) error {
	file, err := os.Stat(t.Path)
	if err != nil {
		return err
	}
	return t.CheckSize(file)
}

// openAll opens all column families or, if another one needs what this binary lacks, such as a
// comparator, only the one to read.
func (s *store) openAll() (*reading, error) {
	o := engine.OpenConfig{CacheBytes: 1 * mib, MaxOpenFiles: minOpenFiles}
	f := &files{regions: checkTail, counter: &region.Counter{}}
	if l, err := openFamilies(s.dir, s.cfg, o, f, 0, true); err == nil {
		return l, nil
	}
	return openReading(s.dir, s.cfg, o, f, 0)
}

// regions returns the region map of a table or blob file. The library also opens the tables of the default column
// family, whose blocks no Get of another one reads.
func (s *store) regions(number uint64, path string) (*region.Map, error) {
	if s.others[number] {
		return &region.Map{}, nil
	}
	return s.catalog.FileRegions(number, path)
}

// explainOpen says which tables the library cannot read, or lists the column families if the
// configured one does not exist.
func (s *store) explainOpen(err error) error {
	formats, _ := s.dir.formats()
	if err := s.dir.requireFormats(formats); err != nil {
		return err
	}
	families, unknown := columnFamilies(s.dir.path)
	if unknown == nil && !slices.Contains(families, familyText(familyName(s.cfg.columnFamily))) {
		return fmt.Errorf("%s has no column family %q: read one of %s with --option column_family=NAME", s.dir.path, s.cfg.columnFamily, strings.Join(families, ", "))
	}
	if strings.Contains(err.Error(), otherWritePolicy) {
		return fmt.Errorf("the write-ahead log of %s holds transactions of the write policy WritePrepared or WriteUnprepared, which a read-only open does not replay: let its client flush and stop once", s.dir.path)
	}
	return failure.Open("RocksDB", s.dir.path, err)
}

// otherWritePolicy is the library's text about such a log (db/write_batch.cc, WriteBatchInternal::Iterate).
const otherWritePolicy = "WritePrepared/WriteUnprepared txn tag"

// otherFamilies returns an error for an empty column family, if there are others.
func (s *store) otherFamilies() error {
	if len(s.info.Families) == 0 || len(s.catalog.Paths()) > 0 || s.info.WALKeys > 0 {
		return nil
	}
	return fmt.Errorf("%s holds nothing in its column family %q: read another of %s with --option column_family=NAME", s.dir.path, s.cfg.columnFamily, familyNames(s.info.Families))
}

// familyNames lists column families.
func familyNames(all []engine.Family) string {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// written returns the options of the configured column family, named as in records:
// "Options.NAME".
func (s *store) written() map[string]string {
	written := map[string]string{}
	for _, options := range s.dir.familyOptions(s.family()) {
		for name, value := range options {
			written["Options."+name] = value
		}
	}
	return written
}

// family is the name of the column family to read.
func (s *store) family() string { return familyName(s.cfg.columnFamily) }

func (s *store) Info() engine.Info               { return s.info }
func (s *store) Shape() *lsm.Shape               { return s.catalog.Shape() }
func (s *store) TreeSampler() engine.TreeSampler { return s.catalog }
func (s *store) Close() error                    { return s.lock.Close() }

// Sampler draws keys of the column family. It is an error if that is empty and others are not.
func (s *store) Sampler() (engine.Sampler, error) {
	if err := s.otherFamilies(); err != nil {
		return nil, err
	}
	log, err := s.readLog()
	if err != nil {
		return nil, err
	}
	return s.catalog.Sampler(log)
}

// readLog returns the keys that the library replays from the write-ahead log and finds there.
func (s *store) readLog() (catalog.Log, error) {
	if s.info.WALKeys == 0 {
		return nil, nil
	}
	opened, err := s.Open(engine.OpenConfig{CacheBytes: 1 * mib, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	log := catalog.Log{}
	err = opened.(*db).scanMemory(func(key, _ []byte) error {
		log[string(key)] = catalog.Sets
		return nil
	})
	return log, err
}

func (s *store) Properties() (levels [lsm.NumLevels]engine.LevelProperties, known bool) {
	return s.catalog.LevelProperties(), true
}

// entryBytes is what the cache charges for a block besides its bytes, its trailer and the library's object: the cache's
// entry, and what the allocator rounds up.
const entryBytes = 120

func (s *store) CacheCharge(block int64) int64 {
	return block + blockformat.TrailerLen + int64(BlockBytes) + entryBytes
}
