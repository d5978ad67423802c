package replay

import (
	"context"
	"runtime"
	"time"

	"getio/engine"
	"getio/measure/database"
	"getio/predict/cachesim"
	"getio/record"
	"getio/tree/readpath"
)

// Method is the name of replay in records of predictions.
const Method = "replay"

// Caches returns the caches that the library makes of sizes in bytes. Without a number of shards,
// the library chooses it.
func Caches(d *database.Database, sizes []int64, shards int) (caches []Cache, err error) {
	for _, bytes := range sizes {
		open := engine.OpenConfig{CacheBytes: bytes, Shards: shards}
		if open.Shards == 0 {
			open.Shards = cachesim.PebbleShards(bytes, runtime.GOMAXPROCS(0))
		}
		db, err := d.Store.Open(open)
		if err != nil {
			return nil, err
		}
		c := db.Cache()
		if err := db.Close(); err != nil {
			return nil, err
		}
		caches = append(caches, Cache{Bytes: c.Bytes, Reserved: c.Reserved, Shards: c.Shards})
	}
	return caches, nil
}

// Predict makes the run's Gets of a database once and returns a record of each cache.
func (r Run) Predict(ctx context.Context, d *database.Database, keys database.KeySource, library cachesim.Library, caches []Cache) ([]*record.Prediction, error) {
	gets, err := d.Gets(keys)
	if err != nil {
		return nil, err
	}
	defer gets.Close()
	counts, err := r.Curve(ctx, d.Store, gets, library, caches)
	if err != nil {
		return nil, err
	}
	shape, info := d.Store.Shape(), d.Info()
	workload := record.PredictedWorkload{
		Kind: keys.Popularity.Name(), Popularity: keys.Popularity, HitFraction: 1 - keys.Absent, Seed: keys.Seed, WarmupGets: r.Warmup, Gets: r.Gets,
		KeysFile: keys.KeysFile, KeysSHA256: keys.KeysSHA256(),
	}
	var list []*record.Prediction
	for i, cache := range caches {
		p := &record.Prediction{
			Schema: record.PredictionSchema, Time: time.Now().UTC(), Source: info.Dir, Library: info.Engine, Method: Method,
			Shape: shape.WithoutTables(),
			Cache: record.PredictedCache{
				Bytes: cache.Bytes, ReservedBytes: cache.Reserved, Phase: shape.Phase(cache.Bytes),
				Policy: cachesim.NameClockPro, Shards: cache.Shards, SampledShards: cache.Shards,
			},
			Workload:   workload,
			Components: map[string]record.PredictedComponent{},
		}
		perGet := func(n int64) float64 { return float64(n) / float64(r.Gets) }
		ios := 0.0
		for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
			p.Components[c.String()] = record.NewPredictedComponent(perGet(counts[i].Accesses[c]), perGet(counts[i].Misses[c]))
			ios += perGet(counts[i].Misses[c])
		}
		p.IOsPerGet.Window = &ios
		list = append(list, p)
	}
	return list, nil
}
