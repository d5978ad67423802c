package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/lsm"
	"getio/load"
	"getio/load/growth"
	"getio/numbers/units"
	"getio/predict/cachesim"
	"getio/predict/scenario"
	"getio/record"
	"getio/report"
	"getio/workload"
)

type predictFlags struct {
	scenario   scenario.Query
	keys       workload.Keys
	cache      []lsm.CacheSize // none: the published ones, or some between IP1 and IP2
	simulation scenario.Simulation
	steady     bool
	json       bool
}

func predictCommand() *cobra.Command {
	var p predictFlags
	c := &cobra.Command{
		Use:   "predict --dataset NAME | --shape FILE | --keys N",
		Short: "Predict reads per Get without a database",
		Long: `predict simulates Gets on the shape of an LSM tree, without a database. Choose the tree:
a named one (--dataset), one that 'getio inspect --shape' wrote to a file (--shape), or
the model of a tree with N keys (--keys).

It reports the reads that no cache avoids, those that a larger cache would avoid, and
those that a better replacement policy would avoid.`,
		Example: `  getio predict --dataset small
  getio predict --shape mainnet.json --cache 512MiB,2GiB,8GiB --gets 5M
  getio predict --keys 5B --cache 0.5GiB,2GiB,16GiB --steady`,
		Args: usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return p.run(c) },
	}
	f, sim := c.Flags(), &p.simulation
	scenarioFlags(c, &p.scenario, "--shape")
	flagvalue.Var(f, &p.scenario.Change, "what-if", "changes", "", scenario.ParseChange, "changes, comma-separated, such as block_size=32KiB (docs/flags.md)")
	flagvalue.Caches(f, &p.cache, "", "cache sizes, comma-separated (default: the published ones with --dataset small, medium or large; otherwise from IP1 to twice IP2)")
	flagvalue.Count(f, &sim.Gets, "gets", "", 1, units.MaxCount, "Gets to simulate, such as 10M")
	flagvalue.Var(f, &sim.Warmup, "warmup", "rule", "0.05%", scenario.ParseWarmup, "Gets to simulate before the counted ones, to fill the cache: a number, or a share of the keys")
	flagvalue.Count(f, &sim.Most, "until-steady", "0", 0, units.MaxCount, "continue until steady, for at most this many Gets")
	shardsVar(f, &sim.Shards, "shards of the block cache")
	f.BoolVar(&sim.AllShards, "all-shards", false, "simulate all shards of the block cache, not only some")
	flagvalue.Choice(f, &sim.Policy, "policy", "", cachesim.Names(), strings.Join(cachesim.Names(), ", ")+" (default: the library's)")
	settingFlags(f, p.keys.Settings(), "seed", "absent", "zipf", "hotset", "trace")
	f.Lookup("trace").Usage = "use the Gets in this trace; its keys may be hashed"
	memoryFlags(f, &sim.Memory)
	f.BoolVar(&p.steady, "steady", false, "instead of simulating Gets, compute I/Os per Get for an ideal cache, which always holds the blocks with the most accesses")
	f.BoolVar(&p.json, "json", false, "print records instead of text")
	return c
}

// scenarioFlags adds the flags that name a tree and how it is read. Sources are what can name the tree's engine.
func scenarioFlags(c *cobra.Command, q *scenario.Query, sources string) {
	f := c.Flags()
	flagvalue.Choice(f, &q.Dataset, "dataset", "", slices.Concat(growth.Names, []string{growth.NameMainnet}), strings.Join(growth.Names, ", ")+" (databases of a published study of Pebble) or "+growth.NameMainnet+" (a model of a mainnet node's database)")
	flagvalue.File(f, &q.ShapeFile, "shape", "file that 'getio inspect --shape' wrote")
	flagvalue.Count(f, &q.Keys, "keys", "", 1, units.MaxCount, "number of keys in a modelled tree, such as 5B")
	flagvalue.Count(f, &q.ValueSize, "value-size", "110", 0, math.MaxInt32, "bytes per value, with --keys")
	engineFlags(c, &q.Open, "(default: the engine of "+sources+"; pebblev2 with --dataset mainnet; otherwise "+load.DefaultEngine+"). With --keys or --dataset, only pebblev1 and pebblev2 are possible")
}

func (p *predictFlags) run(c *cobra.Command) error {
	if err := cmp.Or(p.scenario.Check(), workload.Conflict(p.keys.Settings(), c.Flags().Changed), p.keys.Check(), p.simulation.Memory.Check()); err != nil {
		return usage.Wrap(err)
	}
	if p.steady {
		if err := usage.RefuseFlags(c, "belongs to a simulation, which --steady does without: leave one out",
			"gets", "warmup", "until-steady", "shards", "all-shards", "policy", "trace", "zipf", "hotset", "memory"); err != nil {
			return err
		}
	}
	keys := p.keys
	keys.Trace = "" // it changes nothing in how the tree is read
	s, err := p.scenario.Scenario(engines.All(), keys)
	if err != nil {
		return err
	}
	sizes, err := s.Caches(p.cache)
	if err != nil {
		return err
	}
	var predictions []*record.Prediction
	if p.steady {
		predictions, err = s.Steady(sizes)
	} else {
		m := progress.Meter(c)
		defer m.Finish()
		p.simulation.Progress = func(done, most int64) { m.Show("predict", uint64(done), uint64(most), "Gets", "") }
		predictions, err = p.simulate(c, s, sizes)
		m.Finish()
	}
	if err != nil {
		return err
	}
	return showAll(c, p.json, predictions, report.Predictions)
}

func (p *predictFlags) simulate(c *cobra.Command, s *scenario.Scenario, sizes []int64) ([]*record.Prediction, error) {
	p.simulation.OwnWarmup = c.Flags().Changed("warmup")
	if p.keys.Trace == "" {
		return s.Simulate(c.Context(), p.simulation, sizes)
	}
	f, err := readTrace(c, p.keys.Trace)
	if err != nil {
		return nil, err
	}
	return s.SimulateTrace(c.Context(), p.simulation, f, sizes)
}
