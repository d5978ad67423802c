package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/lsm"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/predict/memory"
	"getio/predict/replay"
	"getio/predict/twin"
	"getio/report"
	"getio/system/machine"
	"getio/workload"
)

type curveFlags struct {
	keys   workload.Keys
	choice database.OpenOptions
	cache  []lsm.CacheSize // none: the default ones
	run    replay.Run
	shards int
	memory memory.Question
	verify int
	json   bool
}

func curveCommand() *cobra.Command {
	var f curveFlags
	c := &cobra.Command{
		Use:   "curve DIR",
		Short: "Compute I/Os per Get for many cache sizes from one run of Gets",
		Long: `curve computes I/Os per Get at many cache sizes from one run of Gets. It makes the Gets
without a cache, and replays their accesses to blocks in simulated caches of these sizes.

For Pebble, hits and misses are exactly the library's. For LevelDB, they are exact too if
the output has no column ±. Otherwise, ± is the standard deviation between runs of the same
Gets; with a sampled trace, the standard error of the sample. For RocksDB, the figures are mostly within 0.2%, with HyperClock within 1%.`,
		Example: `  getio curve /var/lib/geth/geth/chaindata
  getio curve data/10m --cache 3MiB,8MiB,14MiB --gets 500k --verify 2`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: onDatabase(f.curve, nil),
	}
	flags := c.Flags()
	flagvalue.Caches(flags, &f.cache, "", sweptCaches+" See docs/method.md)")
	flagvalue.Count(flags, &f.run.Gets, "gets", "", 1, units.MaxCount, "counted Gets (default: 200k, and up to 3.2M until the interval is ±1% or ±0.005)")
	flagvalue.Count(flags, &f.run.Warmup, "warmup", "100k", 0, units.MaxCount, "Gets before the counted ones, to fill the simulated caches")
	shardsVar(flags, &f.shards, "shards of the block cache, a multiple of 4")
	memoryFlags(flags, &f.memory)
	flagvalue.Count(flags, &f.verify, "verify", "0", 0, maxShards, "measure this many of the sizes too, and compare")
	flags.BoolVar(&f.json, "json", false, "print records instead of text")
	settingFlags(flags, f.keys.Settings())
	choiceFlags(c, &f.choice)
	return c
}

// memoryFlags adds the flags of a machine's memory, for device reads.
func memoryFlags(f *pflag.FlagSet, q *memory.Question) {
	flagvalue.Var(f, &q.Sizes, "memory", "sizes", "", flagvalue.ListOf(units.ParseMemory), "memory of the machine, comma-separated sizes: also compute device reads, with the rest of the memory as page cache. The default warm-up is then longer")
	flagvalue.Size(f, &q.Other, "other-memory", "", "memory for other purposes, with --memory (default 0)")
}

func (f *curveFlags) curve(c *cobra.Command, dir string) error {
	trace, err := identify(c, &f.keys)
	if err != nil {
		return err
	}
	if trace != nil {
		if err := f.run.Follow(trace, c.Flags().Changed("warmup")); err != nil {
			return err
		}
	}
	if err := f.memory.Check(); err != nil {
		return usage.Wrap(err)
	}
	if f.shards%4 != 0 {
		return usage.Errorf("invalid --shards %d: want a multiple of 4", f.shards)
	}
	d, err := database.Open(c.Context(), engines.All(), dir, f.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	warn(c, d.Info().Warnings()...)
	library, err := replay.LibraryOf(d)
	if err != nil {
		return err
	}
	sizes, err := d.SweepBytes(f.cache, machine.FitsCache)
	if err != nil {
		return err
	}
	if f.verify > len(sizes) {
		return usage.Errorf("--verify %d is more than the %d cache sizes: choose at most as many", f.verify, len(sizes))
	}
	caches, err := replay.Caches(d, library, sizes, f.shards, trace)
	if err != nil {
		return err
	}
	read, err := twin.LibraryOf(d.Engine.Name(), d.Config.Effective())
	if err != nil {
		return err
	}
	shape := d.Store.Shape()
	if err := f.run.Divide(&f.memory, caches, shape, read.Outside(shape), c.Flags().Changed("warmup")); err != nil {
		return err
	}
	m := progress.Meter(c)
	defer m.Finish()
	f.run.Progress = func(done int64) { m.Show("curve", uint64(done), uint64(f.run.Warmup+f.run.Gets), "Gets", "") }
	predictions, err := f.run.Predict(c.Context(), d, f.keys, library, caches)
	if err != nil {
		return err
	}
	err = f.run.Verify(c.Context(), d, f.keys, predictions, f.verify, func(s measure.Stage) { m.Show(s.Progress()) })
	if err != nil {
		return err
	}
	m.Finish()
	return showAll(c, f.json, predictions, report.Predictions)
}
