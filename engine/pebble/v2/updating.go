package pebblev2

import (
	"context"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/sstfile"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/system/filelock"
)

// updating is a database opened for Gets and for writes.
type updating struct {
	*db
	*loader
	maps   *region.Live
	writes pebbledb.WriteCounter
	stalls pebbledb.Stalls
}

var _ engine.Updater = pebbleEngine{}

func (e pebbleEngine) OpenUpdating(dir string, cfg engine.Config, o engine.OpenConfig) (engine.UpdatingDB, error) {
	c, err := e.Config(cfg)
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
	u := &updating{maps: sstfile.Live()}
	u.writes.Compensator = pebbledb.NewCompensator(c, cache.Reserve)
	counter := &region.Counter{Trace: o.Trace}
	log := pebbledb.NewLogger()
	options := u.options(c, o, log)
	options.Cache = cache
	options.FS = &writeFS{FS: vfs.Default, log: log, tables: &tables{Counter: counter, Regions: u.maps.Regions}, writes: &u.writes}
	pdb, err := openForWriting(dir, options, log)
	if err != nil {
		return nil, err
	}
	u.db = &db{
		dir: dir, pebble: pdb, counter: counter,
		cache: engine.Cache{Bytes: o.CacheBytes, Shards: shards, Reserved: c.ReservedBytes()},
	}
	u.loader = &loader{pebble: pdb, log: log}
	u.writes.Compensator.Start(func() int64 {
		m := pdb.Metrics()
		return int64(m.MemTable.Size + m.MemTable.ZombieSize)
	})
	return u, nil
}

// options returns the options of a load without its cache, with the listeners of updates.
func (u *updating) options(c *pebbledb.Config, o engine.OpenConfig, log *pebbledb.Logger) *pebble.Options {
	options := writeOptions(c, log)
	options.Cache.Unref()
	options.ErrorIfNotExists = true
	if o.MaxOpenFiles > 0 {
		options.MaxOpenFiles = min(options.MaxOpenFiles, o.MaxOpenFiles)
	}
	options.EventListener = readListener(log)
	options.EventListener.FlushEnd = func(pebble.FlushInfo) { u.writes.Compensator.Flushed() }
	options.EventListener.WriteStallBegin = func(pebble.WriteStallBeginInfo) { u.stalls.Begin() }
	options.EventListener.WriteStallEnd = u.stalls.End
	return options
}

func (u *updating) Counts() engine.Counts {
	c := u.db.Counts()
	c.Accesses = pebbledb.FilterAccesses(c)
	return c
}

func (u *updating) Check(gets engine.Counts) []readpath.Check {
	return append([]readpath.Check{region.FiltersWithinAccesses(gets)}, updateChecks(gets)...)
}

func (u *updating) CheckInterval(w engine.UpdateInterval) []readpath.Check {
	return append(append(region.WorkChecks(w), u.maps.Check()), intervalChecks(w)...)
}

func (u *updating) Activity() engine.Activity {
	m := u.db.pebble.Metrics()
	a := engine.Activity{
		Written: u.writes.Written(),
		Flushes: m.Flush.Count, Compactions: m.Compact.Count,
		InProgress:  m.Flush.NumInProgress + m.Compact.NumInProgress,
		L0Sublevels: int64(m.Levels[0].Sublevels),
	}
	a.Stalls, a.StallTime = u.stalls.Sum()
	addLibraryActivity(&a, m)
	return a
}

func (u *updating) NewBatch() engine.Batch { return u.writes.Compensator.Batch(u.loader.NewBatch()) }

func (u *updating) Settle(ctx context.Context, report func(engine.SettleProgress)) error {
	err := u.loader.Settle(ctx, report)
	u.writes.Compensator.LogWritten() // perhaps without another write
	return err
}

func (u *updating) State() string { return u.db.State() }

func (u *updating) Close() error {
	u.writes.Compensator.Close()
	return u.db.Close()
}
