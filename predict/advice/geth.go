package advice

import (
	"getio/client/chaindata"
	"getio/client/geth"
	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/pebble/pebbledb"
	"getio/measure/database"
	"getio/predict/scenario"
	"getio/record"
)

// DescribeScenario describes a scenario's tree. The model of a mainnet node's database is geth's, with
// its default cache.
func (q *Question) DescribeScenario(s *scenario.Scenario) {
	q.Subject, q.Layout, q.Shards, q.Floor = s.Subject, s.Format, s.Shards, 2*s.Reserved
	if s.Mainnet {
		q.Geth, q.Present = true, q.Reserved+geth.BlockBytes(geth.DefaultStore)
	}
}

// gethMachine describes geth's rules; nil unless it reads the database on a machine that is known.
func (q *Question) gethMachine() *record.GethMachine {
	if !q.Geth || q.GethMemory == 0 {
		return nil
	}
	return &record.GethMachine{Version: geth.Version, MemoryBytes: q.GethMemory, MostCacheMiB: geth.MostCacheMiB(q.GethMemory)}
}

// gethFlags sets the flags with which geth has the block cache of c, if it reads the database and there are any.
func (q *Question) gethFlags(c *record.AdvisedCache) {
	flags, possible := geth.FlagsOf(q.gethStore(c.Cache.Bytes-q.Reserved), q.GethMemory)
	if !q.Geth || !possible {
		return
	}
	c.GethCacheMiB = flags.Cache
	if flags.Database != record.DefaultGethDatabase {
		c.GethDatabase = flags.Database
	}
}

// gethStore returns what geth must give its store to leave room bytes for blocks, in MiB.
func (q *Question) gethStore(room int64) int64 {
	if q.FirstMemtable && q.Library != "goleveldb" {
		return geth.StoreBesideMiB(pebbledb.ReopenedMemtables(q.pebbleVersion()), room)
	}
	return geth.StoreMiB(q.Library, room)
}

// SweepBytes returns the cache sizes of a sweep of a database: those given, or the default ones.
func SweepBytes(d *database.Database, sizes []lsm.CacheSize, fits func(bytes int64) error) ([]int64, error) {
	var least int64
	if len(sizes) == 0 {
		var err error
		if least, err = ClientLeast(d); err != nil {
			return nil, err
		}
	}
	return lsm.SweepBytes(sizes, d.Store.Shape(), d.Info().MinCacheBytes, least, fits)
}

// ClientLeast returns the smallest block cache that the client of a database can be set to, 0 if the
// client is not known.
func ClientLeast(d *database.Database) (int64, error) {
	if d.Manifest != nil {
		return 0, nil
	}
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: d.Info().MinCacheBytes, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if isGeth, err := chaindata.Recognise(db); err != nil || !isGeth {
		return 0, err
	}
	return geth.LeastCache(d.Engine.Name()), nil
}
