package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"getio/engine"
	"getio/engine/engines"
	"getio/ethereum/chaindata"
	"getio/measure/database"
	"getio/measure/workload"
	"getio/predict/advice"
	"getio/predict/cachesim"
	"getio/predict/replay"
	"getio/predict/twin"
)

// ofDatabase advises on a database that is there.
func (a *adviseFlags) ofDatabase(c *cobra.Command, dir string, q advice.Question) error {
	if a.trees() > 0 {
		return errTwoTrees
	}
	gets := a.gets
	if gets == 1 {
		return errors.New("invalid --gets 1: want 2 or more, or 0 for no check")
	}
	d, err := database.Open(c.Context(), engines.All(), dir, a.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	library, err := libraryOf(d.Engine)
	if err != nil {
		return err
	}
	if err := askOf(&q, d); err != nil {
		return err
	}
	if err := a.sizes(&q); err != nil {
		return err
	}
	o := twin.Options{Library: library, BlockBytes: q.Layout.DataBlockBytes}
	if gets > 0 {
		run := replay.Run{Warmup: gets / 2, Gets: gets - gets/2}
		rec, err := a.record(c, d, run)
		if err != nil {
			return err
		}
		q.Trial = trialOf(rec, run, library.Library, a.seed, q.Reserved)
		levels := rec.Profile.Levels(q.Shape)
		o.Segments, o.Weight = levels.Segments, levels.Weight
	}
	if q.Tree, err = twin.NewTree(q.Shape, o); err != nil {
		return fmt.Errorf("nothing can be predicted for %s: %w", d.Dir, err)
	}
	return a.ask(c, q)
}

// maxRecorded Gets take some GiB.
const maxRecorded = 10_000_000

// record makes Gets of the database's own keys.
func (a *adviseFlags) record(c *cobra.Command, d *database.Database, run replay.Run) (*replay.Recording, error) {
	own, err := d.Gets(database.KeySource{Random: workload.Random{Seed: a.seed}})
	if err != nil {
		return nil, err
	}
	defer own.Close()
	m := newMeter(c)
	defer m.finish()
	run.Progress = func(done int64) { m.show("look", uint64(done), uint64(run.Warmup+run.Gets), "Gets", "") }
	return run.Record(c.Context(), d.Store, own)
}

// trialOf is the trial of Gets that were made.
func trialOf(rec *replay.Recording, run replay.Run, library cachesim.Library, seed uint64, reserved int64) *advice.Trial {
	return &advice.Trial{
		Warmup: run.Warmup, Gets: run.Gets, Seed: seed,
		IOsPerGet: func(ctx context.Context, caches []twin.Cache) ([]float64, error) {
			var own []replay.Cache
			for _, c := range caches {
				own = append(own, replay.Cache{Bytes: c.Bytes + reserved, Reserved: reserved, Shards: c.Shards})
			}
			counts, err := rec.Curve(ctx, library, own)
			ios := make([]float64, len(counts))
			for i := range counts {
				ios[i] = float64(counts[i].Misses.Sum()) / float64(run.Gets)
			}
			return ios, err
		},
	}
}

// askOf fills in the question what the database says.
func askOf(q *advice.Question, d *database.Database) error {
	info, shape := d.Info(), shapeOf(d)
	options := d.Config.Effective()
	q.OpenFiles, _ = strconv.ParseInt(options["max_open_files"], 10, 64)
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: info.MinCacheBytes})
	if err != nil {
		return err
	}
	defer db.Close()
	q.Floor, q.Reserved = info.MinCacheBytes, db.Cache().Reserved
	if d.Manifest == nil {
		if _, q.Geth, err = db.Get([]byte(chaindata.HeadHeaderKey), nil); err != nil {
			return err
		}
		written(q, info.OptionsFile)
		options = layoutOptions(info.OptionsFile)
	}
	layout, known := layoutOf(options).WithSizesOf(shape)
	if !known {
		return fmt.Errorf("%s has no records: there is nothing to advise on", d.Dir)
	}
	q.Layout, q.Source, q.Library, q.Shape = layout, d.Dir, d.Engine.Name(), shape
	q.Shards = func(bytes int64) int { return cachesim.PebbleShards(bytes, runtime.GOMAXPROCS(0)) }
	return nil
}

// layoutOptions are the options by which the library laid out the tables, as its own
// options file states them.
func layoutOptions(written map[string]string) map[string]string {
	options := map[string]string{}
	for _, name := range []string{"block_size", "index_block_size", "block_restart_interval"} {
		options[name] = written[`Level "0".`+name]
	}
	return options
}

// written takes over what the database was last opened with: the room that its
// cache had beside one memtable, and how many files it kept open.
func written(q *advice.Question, options map[string]string) {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(options["Options."+name], 10, 64)
		return n
	}
	if present := q.Reserved + number("cache_size") - number("mem_table_size"); present >= q.Floor && number("cache_size") > 0 {
		q.Present = present
	}
	if files := number("max_open_files"); files > 0 {
		q.OpenFiles = files
	}
}
