//go:build rocksdb

package rocksdb

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/cgo"
	"strconv"
	"time"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/loading"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/engine/rocksdb/rocksfile"
	"getio/system/filelock"
)

// updating is a database opened for Gets and for writes. Memtables use no block cache.
type updating struct {
	*db
	*loader
	maps *region.Live
}

var (
	_ engine.Updater    = rocksDB{}
	_ engine.UpdatingDB = (*updating)(nil)
)

func (rocksDB) OpenUpdating(dir string, cfg engine.Config, o engine.OpenConfig) (engine.UpdatingDB, error) {
	c, err := configs.Of(cfg)
	if err != nil {
		return nil, err
	}
	if err := checkCache(o); err != nil {
		return nil, err
	}
	if _, err := readDirectory(dir); err != nil {
		return nil, err
	}
	lock, err := filelock.ForWriting(dir)
	if err != nil {
		return nil, err
	}
	u := &updating{maps: rocksfile.Live()}
	if err := u.open(dir, c, o); err != nil {
		return nil, failure.Open("RocksDB", dir, errors.Join(err, lock.Close()))
	}
	u.loader.lock = lock
	return u, nil
}

func (u *updating) open(dir string, c *config, o engine.OpenConfig) error {
	f := &files{regions: u.maps.Regions, counter: &region.Counter{Trace: o.Trace}}
	u.loader = &loader{failures: loading.NewFailures()}
	u.loader.owner = cgo.NewHandle(u.loader.failures)
	library := &reading{files: f, owner: cgo.NewHandle(f)}
	var pinned runtime.Pinner
	defer pinned.Unpin()
	how := c.writing(false, c.blockCache(o.CacheBytes, o.Shards), &pinned)
	how.max_open_files = C.int(openFiles(c.maxOpenFiles, o.MaxOpenFiles))
	err := failed(C.bridge_open_update(text(dir, &pinned), &how, C.uintptr_t(u.loader.owner), C.uintptr_t(library.owner), &library.db))
	if err != nil {
		library.owner.Delete()
		u.loader.owner.Delete()
		return f.explain(err)
	}
	u.loader.db = library.db
	u.db = &db{dir: dir, library: library, files: f, cache: engine.Cache{Bytes: o.CacheBytes, Shards: library.cacheShards()}}
	return nil
}

// Counts implements engine.DB. Compactions access blocks too, but no filters.
func (u *updating) Counts() engine.Counts {
	c, raw := u.db.Counts(), u.raw()
	c.Accesses = readpath.Accesses{FiltersOnly: true}
	c.Accesses.Count[readpath.Filter] = int64(raw.filter_hits + raw.filter_misses)
	c.TableCacheHits = 0 // unknown: visits are not attributed
	// A new version of the tree reads the properties of tables that are not open, past the
	// table cache and its ticker (db/version_set.cc, Version::GetTableProperties).
	c.TableCacheMisses += u.files.propertyReads.Load()
	c.CacheLookups, c.CacheInserts = nil, nil
	return c
}

func (u *updating) Check(gets engine.Counts) []readpath.Check {
	return []readpath.Check{region.FiltersWithinAccesses(gets)}
}

func (u *updating) CheckInterval(w engine.UpdateInterval) []readpath.Check {
	return append(append(append(region.WorkChecks(w), u.maps.Check(), u.files.check()), checkBlocks(w.Total)...), checkLibraryReads(w.Total)...)
}

// checkLibraryReads requires that RocksDB reports no more reads than there were. It does not
// report those of tables that a compaction opened for itself (db/table_cache.cc,
// record_read_stats), nor those of properties alone.
func checkLibraryReads(all engine.Counts) []readpath.Check {
	within := func(name, what string, reported int64, other string, read int64) readpath.Check {
		return readpath.Check{Name: name, OK: reported <= read, Detail: fmt.Sprintf("%s %d, %s %d", what, reported, other, read)}
	}
	return []readpath.Check{
		within("library_reads", "reads as RocksDB counts them", *all.LibraryReads, "reads of tables", all.Reads.Count.Sum()),
		within("library_bytes", "bytes read as RocksDB counts them", *all.LibraryBytes, "bytes read", all.Reads.Bytes.Sum()),
	}
}

func (u *updating) Activity() engine.Activity {
	raw := C.bridge_active(u.library.db)
	a := engine.Activity{
		Written: engine.BytesWritten{Tables: int64(raw.tables_written), Logs: int64(raw.logs_written), Other: int64(raw.other_written)},
		Flushes: int64(raw.flushes), Compactions: int64(raw.compactions), InProgress: int64(raw.running),
		Stalls: int64(raw.stalls), StallTime: time.Duration(raw.stalled_micros) * time.Microsecond,
		LibraryTableBytes: int64(raw.tables_made), CompactionInputBytes: int64(raw.compacted),
	}
	// A Get visits every table of L0 that may hold its key.
	a.L0Tables, _ = strconv.ParseInt(property(u.library.db, "rocksdb.num-files-at-level0"), 10, 64)
	a.L0Sublevels = a.L0Tables
	return a
}

func (u *updating) State() string { return u.db.State() }

func (u *updating) Close() error {
	defer u.library.owner.Delete()
	return u.loader.Close()
}
