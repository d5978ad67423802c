package main

import (
	"maps"

	"getio/engine"
	"getio/ethereum/chain"
	"getio/record"
)

// keep adds a result to those that there are, and to the file of records if it was
// measured just now.
func (r *chainRun) keep(result *record.Chain, measured bool) error {
	if err := r.journal.Finish(result, measured); err != nil {
		return err
	}
	r.results = append(r.results, result)
	if r.flags.json {
		return record.WriteLine(r.command.OutOrStdout(), result)
	}
	return nil
}

// finished finds the result of the same run with the given cache.
func (r *chainRun) finished(draw *chain.Chain, run chain.Run, measured, bytes int64) *record.Chain {
	if len(r.done) == 0 {
		return nil
	}
	want := &record.Chain{Workload: record.ChainWorkload{WarmupOperations: int64(run.Warmup), Operations: measured}}
	r.describe(want)
	for _, c := range r.done {
		if c.Operation == string(run.Operation) && c.Cache.Bytes == bytes && c.Workload == want.Workload && c.Head == draw.Head() &&
			(c.State == nil || (c.State.Read == "flat") == run.Flat) && c.Checks.Hold() && r.sameDatabase(c, want) && r.sameShards(c) {
			return c
		}
	}
	return nil
}

// sameDatabase tells whether the record is of the database as it is, read by the same
// library with the same options.
func (r *chainRun) sameDatabase(c, want *record.Chain) bool {
	total, had := r.database.Store.Shape().Total(), c.Shape.Total()
	return c.Path == want.Path && c.Live == want.Live && c.WALKeys == r.database.Info().WALKeys &&
		had.Bytes == total.Bytes && had.Records == total.Records &&
		c.Engine.Name == want.Engine.Name && c.Engine.Version == want.Engine.Version && maps.Equal(c.Engine.Options, want.Engine.Options)
}

// sameShards tells whether the cache has as many shards as the record's in this process,
// where the choice is the library's.
func (r *chainRun) sameShards(c *record.Chain) bool {
	db, err := r.database.Store.Open(engine.OpenConfig{CacheBytes: c.Cache.Bytes, Shards: r.flags.shards})
	if err != nil {
		return false
	}
	defer db.Close()
	return db.Cache().Shards == c.Cache.Shards
}
