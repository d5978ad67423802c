// Code generated from v2/updating.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"context"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/vfs"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/loading"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
	"getio/system/filelock"
	"getio/tree/readpath"
)

// updating is a database opened for Gets and for writes.
type updating struct {
	*db
	*loader
	fs     *updateFS
	stalls pebbledb.Stalls
}

var (
	_ engine.Updater    = pebbleEngine{}
	_ engine.UpdatingDB = (*updating)(nil)
)

// OpenUpdating implements engine.Updater.
func (e pebbleEngine) OpenUpdating(dir string, cfg engine.Config, o engine.OpenConfig) (engine.UpdatingDB, error) {
	c, err := config(cfg)
	if err != nil {
		return nil, err
	}
	if err := c.CheckCache(o.CacheBytes); err != nil {
		return nil, err
	}
	if _, err := e.directory(dir); err != nil {
		return nil, err
	}
	if err := filelock.CheckUnlocked(dir); err != nil {
		return nil, err
	}
	var cache *pebble.Cache
	shards, err := pebbledb.WithShards(o, func() { cache = pebble.NewCache(o.CacheBytes) })
	if err != nil {
		return nil, err
	}
	defer cache.Unref() // the database holds its own reference
	log := pebbledb.NewLogger()
	u := &updating{}
	u.fs = &updateFS{
		writeFS: &writeFS{FS: vfs.Default, log: log}, counter: &region.Counter{Trace: o.Trace}, maps: sstfile.Live(),
		compensator: pebbledb.NewCompensator(c, cache.Reserve),
	}
	pdb, err := loading.UnlessFailed(log.Failures, func() (*pebble.DB, error) { return pebble.Open(dir, u.options(c, o, cache, log)) })
	if err != nil {
		return nil, failure.Open("Pebble", dir, err)
	}
	u.db = &db{
		dir: dir, pebble: pdb, counter: u.fs.counter,
		cache: engine.Cache{Bytes: o.CacheBytes, Shards: shards, Reserved: c.ReservedBytes()},
	}
	u.loader = &loader{pebble: pdb, log: log}
	u.fs.compensator.Start(u.memTables)
	return u, nil
}

// options returns the options of a load, with the cache, the file system and the
// listeners of updates.
func (u *updating) options(c *pebbledb.Config, o engine.OpenConfig, cache *pebble.Cache, log *pebbledb.Logger) *pebble.Options {
	options := writeOptions(c, log)
	options.Cache.Unref() // the cache of a load
	options.Cache, options.FS = cache, u.fs
	options.ErrorIfNotExists = true
	if o.MaxOpenFiles > 0 {
		options.MaxOpenFiles = min(options.MaxOpenFiles, o.MaxOpenFiles)
	}
	options.EventListener = readListener(log)
	options.EventListener.FlushEnd = func(pebble.FlushInfo) { u.fs.compensator.Flushed() }
	options.EventListener.WriteStallBegin = func(pebble.WriteStallBeginInfo) { u.stalls.Begin() }
	options.EventListener.WriteStallEnd = u.stalls.End
	return options
}

// memTables returns the cache memory that memtables reserve.
func (u *updating) memTables() int64 {
	m := u.db.pebble.Metrics()
	return int64(m.MemTable.Size + m.MemTable.ZombieSize)
}

// Counts implements engine.DB.
func (u *updating) Counts() engine.Counts {
	c := u.db.Counts()
	c.Accesses = pebbledb.FilterAccesses(c)
	return c
}

// Check implements engine.UpdatingDB.
func (u *updating) Check(gets engine.Counts) []readpath.Check {
	return append([]readpath.Check{region.FiltersWithinAccesses(gets)}, updateChecks(gets)...)
}

// CheckInterval implements engine.UpdatingDB.
func (u *updating) CheckInterval(w engine.UpdateInterval) []readpath.Check {
	return append(append(region.WorkChecks(w), u.fs.maps.Check()), intervalChecks(w)...)
}

// Activity implements engine.UpdatingDB.
func (u *updating) Activity() engine.Activity {
	m := u.db.pebble.Metrics()
	a := engine.Activity{
		Written: u.fs.writing.Written(),
		Flushes: m.Flush.Count, Compactions: m.Compact.Count,
		InProgress:  m.Flush.NumInProgress + m.Compact.NumInProgress,
		L0Sublevels: int64(m.Levels[0].Sublevels),
	}
	a.Stalls, a.StallTime = u.stalls.Sum()
	addLibraryActivity(&a, m)
	return a
}

// Settle implements engine.UpdatingDB.
func (u *updating) Settle(ctx context.Context, report func(engine.SettleProgress)) error {
	err := u.loader.Settle(ctx, report)
	u.fs.compensator.LogWritten() // perhaps without another write
	return err
}

// State implements engine.DB.
func (u *updating) State() string { return u.db.State() }

// Close implements engine.DB.
func (u *updating) Close() error {
	u.fs.compensator.Close()
	return u.db.Close()
}
