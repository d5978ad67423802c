package goleveldb

import (
	"errors"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/goleveldb/ldbfile"
	"getio/engine/loading"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/system/filelock"
)

// updating is a database opened for Gets and for writes.
type updating struct {
	*db
	*loader
	storage *updateStorage
}

var (
	_ engine.Updater    = goLevelDB{}
	_ engine.UpdatingDB = (*updating)(nil)
)

func (goLevelDB) OpenUpdating(dir string, cfg engine.Config, o engine.OpenConfig) (engine.UpdatingDB, error) {
	c, err := configs.Of(cfg)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(c.requireWriter(), c.checkCache(o)); err != nil {
		return nil, err
	}
	if _, err := readDirectory(dir); err != nil {
		return nil, err
	}
	if err := filelock.CheckUnlocked(dir); err != nil {
		return nil, err
	}
	files, err := openWriteStorage(dir, loading.NewFailures())
	if err != nil {
		return nil, failure.Open("LevelDB", dir, err)
	}
	filters := &accesses{} // only filters are counted
	u := &updating{storage: &updateStorage{writeStorage: files, counter: &region.Counter{Trace: o.Trace}, maps: ldbfile.Live()}}
	level, err := loading.UnlessFailed(files.failures, func() (*leveldb.DB, error) {
		return leveldb.Open(u.storage, updateOptions(c, o, filters))
	})
	if err != nil {
		return nil, failure.Open("LevelDB", dir, errors.Join(err, files.Storage.Close()))
	}
	u.db = &db{dir: dir, level: level, accesses: filters, cache: engine.Cache{Bytes: o.CacheBytes, Shards: 1}}
	u.loader = &loader{cfg: c, level: level, storage: files}
	return u, nil
}

// updateOptions returns writeOptions with the counting filter and o's limits.
func updateOptions(c *config, o engine.OpenConfig, a *accesses) *opt.Options {
	options := writeOptions(c)
	options.ErrorIfMissing = true
	options.BlockCacheCapacity = int(max(o.CacheBytes, 1)) // 0 means the library's default
	if o.MaxOpenFiles > 0 {
		options.OpenFilesCacheCapacity = min(options.OpenFilesCacheCapacity, o.MaxOpenFiles)
	}
	if c.bloomBits > 0 {
		options.Filter = a.filter(c.filters(), c.bloomBits)
	}
	return options
}

// Counts implements engine.DB. Which accesses are those of Gets is only known of filters.
func (u *updating) Counts() engine.Counts {
	reads, opened := u.storage.counter.Reads(), u.storage.opened.Load()
	c := engine.Counts{
		Reads:            reads,
		TableCacheMisses: opened,
		FilterNegatives:  u.accesses.negatives.Load(),
		FilterPositives:  u.accesses.positives.Load(),
		LibraryBytes:     u.libraryBytes(),
		Accesses:         readpath.Accesses{FiltersOnly: true},
	}
	c.Accesses.Count[readpath.Filter] = c.FilterNegatives + c.FilterPositives
	return c
}

func (u *updating) Check(gets engine.Counts) []readpath.Check {
	return []readpath.Check{region.FiltersWithinAccesses(gets)}
}

func (u *updating) CheckInterval(w engine.UpdateInterval) []readpath.Check {
	checks := append(region.WorkChecks(w), u.storage.maps.Check())
	if w.Total.LibraryBytes != nil {
		checks = append(checks, checkLibraryBytes(w.Total))
	}
	if w.Activity.LibraryBytesWritten != nil {
		checks = append(checks, region.Equal("library_written", "bytes written as the library counts them", *w.Activity.LibraryBytesWritten,
			"bytes written", w.Activity.Written.Total()))
	}
	return checks
}

func (u *updating) Activity() engine.Activity {
	a := engine.Activity{Written: u.storage.written()}
	var s leveldb.DBStats
	if u.db.level.Stats(&s) != nil {
		return a
	}
	a.Flushes = int64(s.MemComp)
	a.Compactions = int64(s.Level0Comp) + int64(s.NonLevel0Comp) + int64(s.SeekComp)
	a.InProgress = u.cfg.settling(&s).Compactions
	a.Stalls, a.StallTime = int64(s.WriteDelayCount), s.WriteDelayDuration
	if len(s.LevelTablesCounts) > 0 {
		a.L0Tables = int64(s.LevelTablesCounts[0])
		a.L0Sublevels = a.L0Tables // a Get visits every table of L0 that may hold its key
	}
	a.LibraryTableBytes, a.CompactionInputBytes = s.LevelWrite.Sum(), s.LevelRead.Sum()
	a.LibraryBytesWritten = new(int64(s.IOWrite))
	return a
}

func (u *updating) State() string { return u.db.State() }

func (u *updating) Close() error { return u.loader.Close() }
