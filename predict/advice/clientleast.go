package advice

import (
	"getio/client/chaindata"
	"getio/client/geth"
	"getio/engine"
	"getio/engine/lsm"
	"getio/measure/database"
)

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
