package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/database"
	"getio/dataset"
	"getio/report"
)

// demoOptions scale the published configuration down, so that a tree of two
// million keys has the levels and the two-level indexes of a large one: table
// sizes and level sizes by 16, the memtable as far as the small caches need.
var demoOptions = []string{
	"target_file_size.L0=128KiB", "target_file_size.L1=128KiB", "target_file_size.L2=256KiB", "target_file_size.L3=512KiB",
	"target_file_size.L4=1MiB", "target_file_size.L5=2MiB", "target_file_size.L6=4MiB",
	"lbase_max_bytes=1MiB", "memtable_size=4MiB",
}

type demoFlags struct {
	dir  string
	keys string
	json bool
}

func demoCommand() *cobra.Command {
	var d demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "A short tour: load two million keys, sweep ten cache sizes, show the curve",
		Long: `demo loads a small dataset through an unmodified Pebble v1.1.5, sweeps ten cache
sizes and shows the curve. Its tables, levels and memtable are smaller than the
published configuration's, so that several levels and two-level indexes exist at
this size: its curve has the shape of a large database's, not its figures.
Dataset and records are kept; a second run goes on from what is there.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return d.run(c) },
	}
	c.Flags().StringVar(&d.dir, "dir", "demo", "directory for the dataset and the records")
	c.Flags().StringVar(&d.keys, "keys", "2M", "number of keys")
	c.Flags().BoolVar(&d.json, "json", false, "print getio.result/1 records instead, one per line")
	return c
}

func (d *demoFlags) run(c *cobra.Command) error {
	keys, err := parseCount("--keys", d.keys)
	if err != nil {
		return err
	}
	if keys == 0 {
		return errors.New("--keys 0 makes no dataset: take at least 1")
	}
	dir := d.dir + "/" + fmt.Sprintf("%d-keys", keys)
	say := func(format string, args ...any) {
		if !d.json {
			fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
		}
	}
	say("getio demo: what does one Get cost in disk reads, and how does the cache change it?\n")
	if err := d.load(c, dir, uint64(keys), say); err != nil {
		return err
	}
	say("Sweeping ten cache sizes, each in a fresh read-only open, every read of a table counted ...\n")
	out := dir + ".jsonl"
	sweep := sweepFlags{out: out}
	sweep.runFlags = runFlags{
		askFlags: askFlags{seed: 1, absent: "0%"}, gets: "200k", warmup: "auto",
		workers: defaultWorkers(), json: d.json,
	}
	results, err := sweep.run(c, dir)
	if err != nil || d.json {
		return err
	}
	say("")
	if err := report.Curve(c.OutOrStdout(), results); err != nil {
		return err
	}
	say("\nNow your own: 'getio inspect DIR', then 'getio sweep DIR' on any Pebble database. It is only read.")
	return nil
}

// load makes the demo's dataset, or finds it there.
func (d *demoFlags) load(c *cobra.Command, dir string, keys uint64, say func(string, ...any)) error {
	m, err := dataset.Read(dir)
	switch {
	case err == nil && m.Complete:
		say("%s has the dataset already.", dir)
		return nil
	case err == nil:
		say("Going on with the load in %s ...", dir)
		job, err := jobOf(dir, m)
		if err != nil {
			return err
		}
		meter := newMeter()
		defer meter.finish()
		job.Progress = meter.load
		return job.Resume(c.Context())
	case !errors.Is(err, dataset.ErrNoManifest) && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	say("Loading %s keys into %s through an unmodified Pebble v1, then letting it settle ...", humanize.Comma(int64(keys)), dir)
	say("(table, level and memtable sizes are scaled down, so that several levels and two-level")
	say("indexes exist at this size)")
	job, err := newJob(dir, &dataset.Manifest{
		Keys: keys, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32,
		ValueSize: benchValueSize, Seed: 1, Order: dataset.OrderRandom, Batch: benchBatch,
	}, database.Choice{Preset: benchPreset, Options: demoOptions}, defaultWorkers())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return err
	}
	meter := newMeter()
	defer meter.finish()
	job.Progress = meter.load
	return job.New(c.Context())
}
