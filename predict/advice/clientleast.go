package advice

import (
	"getio/engine"
	"getio/engine/lsm"
	"getio/measure/database"
	"getio/record"
)

// GethLeast returns the smallest block cache that geth gives a store of the named engine, in bytes:
// Pebble gets all of the store's memory, LevelDB half of it.
func GethLeast(engineName string) int64 {
	if engineName == "goleveldb" {
		return record.GethLeastMiB * mib / gethLevelDBShare
	}
	return record.GethLeastMiB * mib
}

// SweepBytes returns the cache sizes of a sweep of a database: those given, or the default ones.
// gethKey is a key that only geth writes.
func SweepBytes(d *database.Database, sizes []lsm.CacheSize, gethKey []byte, fits func(bytes int64) error) ([]int64, error) {
	var least int64
	if len(sizes) == 0 {
		var err error
		if least, err = ClientLeast(d, gethKey); err != nil {
			return nil, err
		}
	}
	return lsm.SweepBytes(sizes, d.Store.Shape(), d.Info().MinCacheBytes, least, fits)
}

// ClientLeast returns the smallest block cache that the client of a database can be set to, 0 if the
// client is not known. gethKey is a key that only geth writes.
func ClientLeast(d *database.Database, gethKey []byte) (int64, error) {
	if d.Manifest != nil {
		return 0, nil
	}
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: d.Info().MinCacheBytes, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if _, geth, err := db.Get(gethKey, nil); err != nil || !geth {
		return 0, err
	}
	return GethLeast(d.Engine.Name()), nil
}
