package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/load"
	"getio/load/growth"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

type loadFlags struct {
	keys     uint64 // 0: not given
	keyspace string
	values   string
	size     int
	order    string
	batch    int // 0: none
	workers  int
	seed     uint64
	shaped   bool
	virtual  bool
	shape    string
	resume   bool
	json     bool
	choice   database.OpenOptions
	progress progress.Flags
}

func loadCommand() *cobra.Command {
	var l loadFlags
	c := &cobra.Command{
		Use:   "load DIR",
		Short: "Make a database with known keys, of any size",
		Long: `load makes a dataset: a database with known keys. By default, it writes the keys in batches, the
engine compacts as usual, and load waits until the tree has settled.

With --shaped, load writes the finished tables itself, which is many times faster. With
--virtual, it writes only the tables' metadata, and getio generates each data block when it
is read. Both are for Pebble.`,
		Example: `  getio load data/10m --keys 10M --keyspace keccak --values random
  getio load data/10m --resume
  getio load data/small --virtual --shape small`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error { return l.run(c, args[0]) },
	}
	f := c.Flags()
	flagvalue.Count(f, &l.keys, "keys", "", 1, units.MaxCount, "number of keys, such as 10M")
	flagvalue.Choice(f, &l.keyspace, "keyspace", dataset.KeyspaceKeccak, dataset.Keyspaces, "keccak (hashes, as published) or stratified (evenly spread)")
	flagvalue.Choice(f, &l.values, "values", dataset.ValuesPool32, dataset.ValueKinds, "pool32 (32 distinct values, as published), random or accounts")
	f.IntVar(&l.size, "value-size", 110, "bytes per value")
	flagvalue.Choice(f, &l.order, "order", dataset.OrderRandom, dataset.Orders, "random or sequential")
	flagvalue.Var(f, &l.batch, "batch", "count", "1000", parseBatch, "keys per batch, or the word none to write each key by itself").Offer("none")
	l.workers = defaultWorkers()
	flagvalue.Count(f, &l.workers, "workers", "", 1, workload.MaxWorkers, "concurrent writers (default: one per processor)")
	f.Uint64Var(&l.seed, "seed", 1, "seed of keys, values and order")
	f.BoolVar(&l.shaped, "shaped", false, "write finished tables instead of loading keys through the engine")
	f.BoolVar(&l.virtual, "virtual", false, "write only the tables' metadata")
	flagvalue.File(f, &l.shape, "shape", "tree to write: small, medium, large, or a file of 'inspect --shape'", growth.Names...)
	f.BoolVar(&l.resume, "resume", false, "complete an interrupted load")
	f.BoolVar(&l.json, "json", false, "print the dataset's manifest instead of text")
	engineFlags(c, &l.choice, "(default: "+load.DefaultEngine+")")
	l.progress.Register(c)
	return c
}

func parseBatch(s string) (int, error) {
	if s == "none" {
		return 0, nil
	}
	n, err := units.CountIn(1, maxBatch)(s)
	if err != nil {
		err = fmt.Errorf("%w, or none", err)
	}
	return n, err
}

const maxBatch = 1_000_000

func (l *loadFlags) run(c *cobra.Command, dir string) error {
	job, err := l.job(c, dir)
	if err != nil {
		return err
	}
	w, err := l.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	w.Load(job)
	if l.resume {
		err = job.Resume(c.Context())
	} else {
		err = job.New(c.Context())
	}
	w.Meter.Finish()
	if err != nil {
		return err
	}
	if l.json {
		return record.WriteLine(c.OutOrStdout(), job.Manifest)
	}
	how := "settled and closed"
	if job.Manifest.Build != "" {
		how = job.Manifest.Build
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s holds %s keys, %s: look at it with 'getio inspect %s'\n",
		dir, humanize.Comma(int64(job.Manifest.Keys)), how, dir)
	return err
}

// job prepares the load that the flags describe, or the one to resume.
func (l *loadFlags) job(c *cobra.Command, dir string) (*load.Job, error) {
	m := &dataset.Manifest{
		Engine: l.choice.Engine, Preset: l.choice.Preset,
		Keys: l.keys, Keyspace: l.keyspace, Values: l.values, ValueSize: l.size, Seed: l.seed, Order: l.order, Batch: l.batch,
	}
	switch {
	case l.resume:
		if err := usage.RefuseFlags(c, "cannot be changed with --resume: a load is finished the way it was started",
			"keys", "keyspace", "values", "value-size", "order", "batch", "seed", "engine", "preset", "option", "shaped", "virtual", "shape"); err != nil {
			return nil, err
		}
		return load.UnfinishedJob(engines.All(), dir, l.workers)
	case l.shaped && l.virtual:
		return nil, usage.Errorf("--shaped and --virtual exclude each other: take --virtual for the metadata alone")
	case l.keys == 0 && l.shape == "":
		return nil, usage.Errorf("load needs a number of keys: add --keys N, such as --keys 10M")
	case l.shaped || l.virtual:
		if err := usage.RefuseFlags(c, "does not go with --shaped or --virtual, which write stratified keys in their order: leave it out",
			"keyspace", "order", "batch"); err != nil {
			return nil, err
		}
		m.Batch, m.Build = 0, dataset.BuildShaped
		if l.virtual {
			m.Build = dataset.BuildVirtual
		}
		return load.NewTreeJob(engines.All(), dir, m, l.choice.Options, l.workers, load.NamedTree(l.shape, l.keys, m))
	case l.shape != "":
		return nil, usage.Errorf("--shape needs --shaped or --virtual: a natural load takes the shape that it grows into")
	}
	job, err := load.NewJob(engines.All(), dir, m, l.choice.Options, l.workers)
	return job, usage.Wrap(err)
}
