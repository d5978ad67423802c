package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/predict/cachesim"
	"getio/predict/replay"
	"getio/predict/twin"
	"getio/record"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

type curveFlags struct {
	askFlags
	choice database.OpenOptions
	cache  []lsm.CacheSize // none: the default ones
	pass   replay.Run      // without the database's Gets
	shards int
	verify int
	json   bool
}

func curveCommand() *cobra.Command {
	var f curveFlags
	c := &cobra.Command{
		Use:   "curve DIR",
		Short: "The whole curve of a database from one pass over it",
		Long: `curve makes Gets of a database once, one after another and without a cache, so
that every block they ask for is seen, and sends these through simulated caches
of all sizes, which serve exactly what the library's own would. It takes one run
where sweep takes one for every size. --verify measures some of the sizes with
the library's own cache and the same Gets, and prints both.`,
		Example: `  getio curve /var/lib/geth/chaindata
  getio curve data/10m --cache 3MiB,8MiB,14MiB --gets 500k --verify 2`,
		Args: directory,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	flags := c.Flags()
	cachesVar(flags, &f.cache, "", "cache sizes, comma-separated (default: ten from 0.1% to 3%, IP1 and IP2 among them)")
	countVar(flags, &f.pass.Gets, "gets", "200k", 1, units.MaxCount, "Gets that are counted")
	countVar(flags, &f.pass.Warmup, "warmup", "100k", 0, units.MaxCount, "Gets before them")
	shardsVar(flags, &f.shards, "shards of the block cache, a multiple of 4 (default: the library's choice)")
	countVar(flags, &f.verify, "verify", "0", 0, maxShards, "measure that many of the sizes too")
	flags.BoolVar(&f.json, "json", false, "print getio.prediction/1 records instead, one per line")
	f.askFlags.register(c)
	choiceFlags(c, &f.choice)
	return c
}

func (f *curveFlags) run(c *cobra.Command, dir string) error {
	ask, err := f.ask()
	if err != nil {
		return err
	}
	if f.shards%4 != 0 {
		return fmt.Errorf("invalid --shards %d: want a multiple of 4", f.shards)
	}
	run := f.pass
	d, err := database.Open(c.Context(), engines.All(), dir, f.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	library, err := libraryOf(d.Engine)
	if err != nil {
		return err
	}
	bytes, err := cacheBytes(f.cache, d.Store.Shape(), d.Info().MinCacheBytes)
	if err != nil {
		return err
	}
	if f.verify > len(bytes) {
		return fmt.Errorf("--verify %d is more than the %d cache sizes there are: take at most those", f.verify, len(bytes))
	}
	caches, err := f.caches(d, bytes)
	if err != nil {
		return err
	}
	predictions, err := f.predict(c, d, library, ask, run, caches)
	if err != nil {
		return err
	}
	if err := f.measure(c, d, ask, run, caches, predictions); err != nil {
		return err
	}
	return printPredictions(c, predictions, f.json)
}

// caches are those that the library would make of the sizes.
func (f *curveFlags) caches(d *database.Database, bytes []int64) (caches []replay.Cache, err error) {
	for _, n := range bytes {
		shards := f.shards
		if shards == 0 {
			shards = cachesim.PebbleShards(n, runtime.GOMAXPROCS(0))
		}
		db, err := d.Store.Open(engine.OpenConfig{CacheBytes: n, Shards: shards})
		if err != nil {
			return nil, err
		}
		c := db.Cache()
		if err := db.Close(); err != nil {
			return nil, err
		}
		caches = append(caches, replay.Cache{Bytes: c.Bytes, Reserved: c.Reserved, Shards: c.Shards})
	}
	return caches, nil
}

// methodReplay names the method in records.
const methodReplay = "replay"

// predict makes the pass over the database.
func (f *curveFlags) predict(c *cobra.Command, d *database.Database, library twin.Library, ask database.KeySource, run replay.Run, caches []replay.Cache) ([]*record.Prediction, error) {
	gets, err := d.Gets(ask)
	if err != nil {
		return nil, err
	}
	defer gets.Close()
	m := newMeter(c)
	defer m.finish()
	run.Progress = func(done int64) { m.show("curve", uint64(done), uint64(run.Warmup+run.Gets), "Gets", "") }
	counts, err := run.Curve(c.Context(), d.Store, gets, library.Library, caches)
	if err != nil {
		return nil, err
	}
	var list []*record.Prediction
	shape, info := d.Store.Shape(), d.Info()
	workload := record.PredictedWorkload{
		Kind: ask.Popularity.Name(), Popularity: ask.Popularity, HitFraction: 1 - ask.Absent, Seed: ask.Seed, WarmupGets: run.Warmup, Gets: run.Gets,
		KeysFile: ask.KeysFile, KeysSHA256: ask.KeysSHA256(),
	}
	for i, cache := range caches {
		ios := 0.0
		p := &record.Prediction{
			Schema: record.PredictionSchema, Time: time.Now().UTC(), Source: info.Dir, Library: info.Engine, Method: methodReplay,
			Shape: shape.WithoutTables(),
			Cache: record.PredictedCache{
				Bytes: cache.Bytes, ReservedBytes: cache.Reserved, Phase: shape.Phase(cache.Bytes),
				Policy: cachesim.NameClockPro, Shards: cache.Shards, SampledShards: cache.Shards,
			},
			Workload:   workload,
			Components: map[string]record.PredictedComponent{},
		}
		for _, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
			p.Components[component.String()] = record.NewPredictedComponent(
				float64(counts[i].Accesses[component])/float64(run.Gets), float64(counts[i].Misses[component])/float64(run.Gets))
			ios += float64(counts[i].Misses[component]) / float64(run.Gets)
		}
		p.IOsPerGet.Window = &ios
		list = append(list, p)
	}
	return list, nil
}

// measure measures some of the sizes, evenly apart, as predicted: one Get after
// another.
func (f *curveFlags) measure(c *cobra.Command, d *database.Database, ask database.KeySource, run replay.Run, caches []replay.Cache, predictions []*record.Prediction) error {
	m := newMeter(c)
	defer m.finish()
	sweep := measure.Sweep{Database: d, Keys: ask, Options: measure.Options{
		Gets: run.Gets, Warmup: measure.WarmupGets(run.Warmup), Workers: 1, NoSplit: true, Progress: m.measure,
	}}
	for k := range f.verify {
		i := (2*k + 1) * len(caches) / (2 * f.verify)
		result, err := sweep.One(c.Context(), engine.OpenConfig{CacheBytes: caches[i].Bytes, Shards: caches[i].Shards})
		if err != nil {
			return err
		}
		if err := believable(result); err != nil {
			return err
		}
		predictions[i].IOsPerGet.Measured = &result.IOsPerGet.Mean
	}
	return nil
}
